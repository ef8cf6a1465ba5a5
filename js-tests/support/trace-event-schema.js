// The parts of Google's public document "Trace Event Format" that an exporter of complete, instant, counter
// and metadata events has to keep, as a JSON Schema. Times are microseconds; they may have decimals.
const fields = {
  name: { type: 'string', minLength: 1 },
  cat: { type: 'string', minLength: 1 },
  ph: { enum: ['X', 'i', 'C', 'M'] },
  ts: { type: 'number', minimum: 0 },
  dur: { type: 'number', minimum: 0 },
  pid: { type: 'integer', minimum: 0 },
  tid: { type: 'integer', minimum: 0 },
  s: { enum: ['g', 'p', 't'] },
  args: { type: 'object' },
};

const whenPhase = (ph, then) => ({
  if: { required: ['ph'], properties: { ph: { const: ph } } },
  then,
});

export const traceEventSchema = {
  type: 'object',
  required: ['traceEvents'],
  properties: {
    traceEvents: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'ph', 'pid', 'tid', 'ts', 'args'],
        properties: fields,
        additionalProperties: false,
        allOf: [
          // Only a complete event lasts, and it has to say how long.
          whenPhase('X', { required: ['cat', 'dur'] }),
          whenPhase('i', { required: ['cat', 's'], properties: { dur: false } }),
          // A counter draws each of its args as a number.
          whenPhase('C', {
            properties: {
              dur: false,
              args: { type: 'object', minProperties: 1, additionalProperties: { type: 'number' } },
            },
          }),
          // Metadata have fixed names; those of processes and threads carry a name.
          whenPhase('M', {
            properties: {
              dur: false,
              name: { enum: ['process_name', 'thread_name'] },
              args: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string', minLength: 1 } },
                additionalProperties: false,
              },
            },
          }),
        ],
      },
    },
    displayTimeUnit: { enum: ['ms', 'ns'] },
  },
  additionalProperties: false,
};
