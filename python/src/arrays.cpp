// Arrays of other libraries. NumPy arrays and __cuda_array_interface__ are read by the package;
// this file reads the structure behind __dlpack__, https://dmlc.github.io/dlpack/latest/c_api.html.
#include <cstring>

#include "python/src/binding.h"

namespace stencil::python {

namespace {

// The structures of DLPack, in the versions 0 (without version and flags) and 1.
struct DlDevice {
  int32_t type, id;
};
struct DlType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t* shape;
  int64_t* strides;  // in elements; null: dense, row-major
  uint64_t byte_offset;
};
struct DlManaged {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManaged*);
};
struct DlManagedVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(DlManagedVersioned*);
  uint64_t flags;
  DlTensor tensor;
};
constexpr uint64_t kReadOnly = 1;

// Owns the array of a capsule, and thereby keeps the memory alive.
class Dlpack {
 public:
  explicit Dlpack(const nb::object& capsule) {
    PyObject* const object = capsule.ptr();
    if (PyCapsule_IsValid(object, "dltensor_versioned")) {
      versioned_ =
          static_cast<DlManagedVersioned*>(PyCapsule_GetPointer(object, "dltensor_versioned"));
      if (versioned_->version.major != 1) {
        versioned_ = nullptr;
        throw nb::type_error("the array uses another version of DLPack than 0 and 1");
      }
      PyCapsule_SetName(object, "used_dltensor_versioned");
    } else if (PyCapsule_IsValid(object, "dltensor")) {
      managed_ = static_cast<DlManaged*>(PyCapsule_GetPointer(object, "dltensor"));
      PyCapsule_SetName(object, "used_dltensor");
    } else {
      throw nb::type_error("__dlpack__ did not return a capsule that can be used");
    }
  }
  Dlpack(const Dlpack&) = delete;
  Dlpack& operator=(const Dlpack&) = delete;
  ~Dlpack() {
    if (versioned_ && versioned_->deleter) versioned_->deleter(versioned_);
    if (managed_ && managed_->deleter) managed_->deleter(managed_);
  }

  const DlTensor& tensor() const { return versioned_ ? versioned_->tensor : managed_->tensor; }
  // Version 0 cannot say that an array is read-only.
  bool writable() const { return !versioned_ || (versioned_->flags & kReadOnly) == 0; }
  uintptr_t address() const {
    return reinterpret_cast<uintptr_t>(tensor().data) + tensor().byte_offset;
  }
  Extents shape() const { return {tensor().shape, tensor().shape + tensor().rank}; }
  Extents strides() const {
    if (tensor().strides) return {tensor().strides, tensor().strides + tensor().rank};
    return View<const float>(nullptr, shape()).strides();
  }

 private:
  DlManagedVersioned* versioned_ = nullptr;
  DlManaged* managed_ = nullptr;
};

template <class T>
AnyView typed(const Array& array) {
  auto* const data = reinterpret_cast<T*>(array.address);
  if (array.writable) return View<T>(data, array.shape, array.strides);
  return View<const T>(data, array.shape, array.strides);
}

}  // namespace

AnyView view_of(const Array& array) {
  switch (array.type) {
    case ElementType::Bool:
      return typed<bool>(array);
    case ElementType::Byte:
      return typed<int8_t>(array);
    case ElementType::Ubyte:
      return typed<uint8_t>(array);
    case ElementType::Short:
      return typed<int16_t>(array);
    case ElementType::Ushort:
      return typed<uint16_t>(array);
    case ElementType::Int:
      return typed<int32_t>(array);
    case ElementType::Long:
      return typed<int64_t>(array);
    case ElementType::Half:
      return typed<HalfBits>(array);
    case ElementType::Bfloat:
      return typed<BfloatBits>(array);
    case ElementType::Float:
      return typed<float>(array);
    case ElementType::Double:
      break;
  }
  return typed<double>(array);
}

ParamValues values_of(const Texts& texts) {
  ParamValues values;
  for (const auto& [name, text] : texts) values.emplace(name, text);
  return values;
}

void bind_arrays(nb::module_& module) {
  constexpr auto kLast = static_cast<int>(ElementType::Double);
  nb::list names;
  nb::list sizes;
  for (int type = 0; type <= kLast; ++type) {
    names.append(name_of(static_cast<ElementType>(type)));
    sizes.append(size_of(static_cast<ElementType>(type)));
  }
  module.attr("TYPE_NAMES") = nb::tuple(names);  // by element type
  module.attr("TYPE_SIZES") = nb::tuple(sizes);

  nb::class_<Array>(module, "Array")
      .def(
          "__init__",
          [](Array* self, uintptr_t address, Extents shape, Extents strides, int type,
             bool writable) {
            if (type < 0 || type > kLast) throw nb::value_error("no element type");
            new (self) Array{address, std::move(shape), std::move(strides),
                             static_cast<ElementType>(type), writable};
          },
          nb::arg("address"), nb::arg("shape"), nb::arg("strides"), nb::arg("type"),
          nb::arg("writable"))
      .def_ro("address", &Array::address)
      .def_ro("shape", &Array::shape);

  nb::class_<Dlpack>(module, "Dlpack")
      .def(nb::init<nb::object>(), nb::arg("capsule"))
      .def_prop_ro("address", &Dlpack::address)
      .def_prop_ro("shape", &Dlpack::shape)
      .def_prop_ro("strides", &Dlpack::strides)
      .def_prop_ro("writable", &Dlpack::writable)
      .def_prop_ro("dtype",
                   [](const Dlpack& self) {
                     const DlType type = self.tensor().type;
                     return nb::make_tuple(int{type.code}, int{type.bits}, int{type.lanes});
                   })
      .def_prop_ro("device", [](const Dlpack& self) {
        return nb::make_tuple(self.tensor().device.type, self.tensor().device.id);
      });
}

}  // namespace stencil::python
