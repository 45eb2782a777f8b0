#pragma once

#include <stdexcept>
#include <string>

namespace armature::uml {

/// The guest's side has broken a protocol of the bridge, or its end of a socket is gone. The message is for a person.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace armature::uml
