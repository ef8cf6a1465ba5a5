/** Where a build of the package comes from: to name it in a report, or to build the same again. */
export interface Build {
  /** of the package */
  readonly version: string;
  /** of its sources, with "-dirty" when they were changed since; null when built without git */
  readonly commit: string | null;
  /** with its version */
  readonly compiler: string;
  /** what the kernels of each module were compiled with */
  readonly flags: Readonly<Record<'simd128' | 'relaxed', string>>;
}
