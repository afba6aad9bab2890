// Fields and parts of them, by name, and arrays of the user's.
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

// A field, or a part of it, as users name it: "A", "U@-1", "S.u[0]@-1". R070.
struct Place {
  int field = 0;
  int level = 0;
  int component = -1;  // -1: all of them, which are several

  // How many levels of each of the program's fields it takes to read it, the newest first.
  std::vector<int> levels(const ir::Program& program) const;
};
Result<Place> find_place(const ir::Program& program, const std::string& name);

ElementType element_type_of(Scalar type);

// What is known of a program's fields without values of open params.
std::vector<FieldInfo> describe_fields(const ir::Program& program);
// Fills in position and spacing of fields whose origin is known.
void describe_places(const ir::Program& program, const std::vector<ir::AxisValue>& grid,
                     std::vector<FieldInfo>& fields);

// The shape of an array for the place. R073 if its components differ in type.
Result<Extents> shape_at(const ir::Program& program, const reference::FieldData& field,
                         const Place& place);
// Whether the array can stand for the place: R071 shape, R072 type, R073 memory. `exact`: no
// conversion between element types. `whole`: what has the field's shape, for messages.
Status check_array(const ir::Program& program, const reference::FieldData& field,
                   const Place& place, const std::string& name, const AnyView& array, bool exact,
                   const char* whole = "the field");
// A field like this one, with the points of a box alone, and no storage. R082.
Result<reference::FieldData> cut_out(const reference::FieldData& field, const std::string& name,
                                     const FieldBox& box);
// Between an array that check_array() has accepted and the field.
void copy_in(const AnyView& array, const Place& place, reference::FieldData& field);
void copy_out(const reference::FieldData& field, const Place& place, const AnyView& array);

}  // namespace stencil::api
