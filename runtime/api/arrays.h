// Finds fields and their parts by name, and copies between them and user arrays.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/axes.h"
#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "stencil/program.h"
#include "stencil/state.h"
#include "stencil/view.h"

namespace stencil::api {

// A field or a part of it, as users name it: "A", "U@-1", "S.u[0]@-1".
struct Place {
  int field = 0;
  int level = 0;
  int component = -1;  // -1: all components, if there are several

  // For each field of the program, the number of levels (newest first) needed to read this place.
  std::vector<int> levels(const ir::Program& program) const;
};
Result<Place> find_place(const ir::Program& program, const std::string& name);

ElementType element_type_of(Scalar type);

// Describes the fields of a program, except for properties that depend on params without a value.
std::vector<FieldInfo> describe_fields(const ir::Program& program);
// Fills in position and spacing of all fields whose origin is known.
void describe_places(const ir::Program& program, const std::vector<ir::AxisValue>& grid,
                     std::vector<FieldInfo>& fields);

// The shape of an array for the place. R073 if the components differ in type.
Result<Extents> shape_at(const ir::Program& program, const reference::FieldData& field,
                         const Place& place);
// Whether the array can be used for the place: R071 shape, R072 type, R073 memory. `exact` forbids
// conversions between element types. `whole` names the owner of the shape in messages.
Status check_array(const ir::Program& program, const reference::FieldData& field,
                   const Place& place, const std::string& name, const AnyView& array, bool exact,
                   const char* whole = "the field");
// A field with only the points of a box, without storage. R082 if the box is not within the field.
Result<reference::FieldData> cut_out(const reference::FieldData& field, const std::string& name,
                                     const FieldBox& box);
// Copy between the field and an array that check_array() has accepted.
void copy_in(const AnyView& array, const Place& place, reference::FieldData& field);
void copy_out(const reference::FieldData& field, const Place& place, const AnyView& array);

}  // namespace stencil::api
