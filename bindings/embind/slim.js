// Parts of Embind's runtime that nothing here reaches, replaced by less: the loader is fetched before
// anything else is. Linked in by --js-library, so that these definitions replace Emscripten's.
addToLibrary({
  // Numbers cross as doubles.
  _embind_register_bigint__deps: [],
  _embind_register_bigint: (type, name, size, min, max) => {},

  // No std::wstring crosses.
  _embind_register_std_wstring__deps: [],
  _embind_register_std_wstring: (rawType, charSize, name) => {},

  // Strings are text, never bytes, and cross as UTF-8 whole.
  _embind_register_std_string__deps: [
    '$registerType',
    '$readPointer',
    '$UTF8Decoder',
    '$throwBindingError',
    '$GenericWireTypeSize',
    'malloc',
    'free',
  ],
  _embind_register_std_string: (rawType, name) => {
    registerType(rawType, {
      name: 'text',
      fromWireType(value) {
        var start = value + 4;
        var text = UTF8Decoder.decode(HEAPU8.subarray(start, start + HEAPU32[value >>> 2]));
        _free(value);
        return text;
      },
      toWireType(destructors, value) {
        if (typeof value != 'string') throwBindingError('Cannot pass non-string to std::string');
        var bytes = new TextEncoder().encode(value);
        var size = 4 + bytes.length + 1;
        // The facade's to say; what it throws ends the call before anything is written.
        var base = _malloc(size) >>> 0 || Module['outOfMemory'](size);
        HEAPU32[base >>> 2] = bytes.length;
        HEAPU8.set(bytes, base + 4);
        HEAPU8[base + 4 + bytes.length] = 0;
        destructors?.push(_free, base);
        return base;
      },
      argPackAdvance: GenericWireTypeSize,
      readValueFromPointer: readPointer,
      destructorFunction(ptr) {
        _free(ptr);
      },
    });
  },

  // A byte order mark is part of its text.
  $UTF8Decoder: "new TextDecoder('utf-8', { ignoreBOM: true })",

  // Every type is bound, so which one is not need not be worked out.
  $throwUnboundTypeError__deps: ['$throwBindingError'],
  $throwUnboundTypeError: (message) => throwBindingError(message),

  // Types have no names here (no RTTI), so the module need not print their addresses with printf.
  $getTypeName__deps: [],
  $getTypeName: (type) => `type ${type}`,

  // No name is bound twice.
  $ensureOverloadTable__deps: [],
  $ensureOverloadTable: () => {},
  $exposePublicSymbol__deps: [],
  $exposePublicSymbol: (name, value) => {
    Module[name] = value;
  },

  // No bound class has a base, so a pointer is of the class that it is declared with.
  $RegisteredPointer_fromWireType__deps: ['$makeClassHandle'],
  $RegisteredPointer_fromWireType: function (ptr) {
    var rawPointer = this.getPointee(ptr);
    if (!rawPointer) {
      this.destructor(ptr);
      return null;
    }
    return makeClassHandle(
      this.registeredClass.instancePrototype,
      this.isSmartPointer
        ? { ptrType: this.pointeeType, ptr: rawPointer, smartPtrType: this, smartPtr: ptr }
        : { ptrType: this, ptr },
    );
  },

  // No bound class has a base, and the facade passes what it made. Of which module that is, every call is asked.
  $upcastPointer__deps: [],
  $upcastPointer: (ptr, ptrClass, desiredClass) =>
    ptrClass === desiredClass ? ptr : Module['foreign'](),
  $nonConstNoSmartPtrRawPointerToWireType__deps: ['$upcastPointer', '$throwInstanceAlreadyDeleted'],
  $nonConstNoSmartPtrRawPointerToWireType: function (destructors, handle) {
    if (handle === null && !this.isReference) return 0;
    if (!handle.$$.ptr) throwInstanceAlreadyDeleted(handle);
    return upcastPointer(handle.$$.ptr, handle.$$.ptrType.registeredClass, this.registeredClass);
  },
  $constNoSmartPtrRawPointerToWireType__deps: ['$nonConstNoSmartPtrRawPointerToWireType'],
  $constNoSmartPtrRawPointerToWireType: 'nonConstNoSmartPtrRawPointerToWireType',

  // No bound function takes a shared pointer: they are only given to the facade.
  $genericPointerToWireType__deps: ['$throwBindingError'],
  $genericPointerToWireType: () => throwBindingError('Cannot pass a shared pointer'),

  // The facade deletes what it made, and hands shared objects on as they are. Nothing is deleted later.
  $init_ClassHandle__deps: [
    '$ClassHandle',
    '$shallowCopyInternalPointer',
    '$throwInstanceAlreadyDeleted',
    '$attachFinalizer',
    '$releaseClassHandle',
    '$detachFinalizer',
  ],
  $init_ClassHandle: () => {
    Object.assign(ClassHandle.prototype, {
      clone() {
        if (!this.$$.ptr) throwInstanceAlreadyDeleted(this);
        var clone = attachFinalizer(
          Object.create(Object.getPrototypeOf(this), {
            $$: { value: shallowCopyInternalPointer(this.$$) },
          }),
        );
        clone.$$.count.value += 1;
        return clone;
      },
      delete() {
        if (!this.$$.ptr) throwInstanceAlreadyDeleted(this);
        detachFinalizer(this);
        releaseClassHandle(this.$$);
        this.$$.smartPtr = undefined;
        this.$$.ptr = undefined;
      },
    });
  },

  $emval_get_global: () => globalThis,
});
