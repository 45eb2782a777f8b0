#include "fst_file.h"

#include "armature/core/error.h"

#include <fstapi.h>

#include <algorithm>
#include <string>

namespace armature::observe {
namespace {

// Changes of a part are one in kPartOf of those before it, within these bounds. A part has some kilobytes of its own.
constexpr std::uint64_t kLeastPart = 4'096, kMostPart = 262'144, kPartOf = 8;

/// The parts of a dotted path.
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
    parts.push_back(path.substr(begin, dot - begin));
  }
  parts.push_back(path.substr(begin));
  return parts;
}

}  // namespace

FstFile::FstFile(const std::filesystem::path& file)
    : writer_(fstWriterCreate(file.c_str(), /*use_compressed_hier=*/1)) {
  if (!writer_) throw InputError("cannot write " + file.string());
  fstWriterSetPackType(writer_, FST_WR_PT_LZ4);
  fstWriterSetTimescaleFromString(writer_, "1ps");
  fstWriterSetVersion(writer_, "Armature");
  fstWriterSetDate(writer_, "");  // a run's files do not depend on when it was made
}

void FstFile::declare(const std::vector<FstTrace::Variable>& variables) {
  handles_.resize(variables.size());
  // Scopes stand together in the file even if blocks declared their probes in turns; siblings keep the order in which
  // they were first declared.
  struct Scope {
    std::string name;
    std::vector<ProbeSink::Id> leaves;
    std::vector<Scope> scopes;
  } root;
  for (ProbeSink::Id id = 0; id < variables.size(); ++id) {
    auto parts = parts_of(variables[id].info.path);
    parts.pop_back();
    Scope* scope = &root;
    for (const auto& part : parts) {
      auto found = std::find_if(scope->scopes.begin(), scope->scopes.end(),
                                [&part](const Scope& child) { return child.name == part; });
      if (found == scope->scopes.end()) found = scope->scopes.insert(found, Scope{part, {}, {}});
      scope = &*found;
    }
    scope->leaves.push_back(id);
  }
  const auto write = [this, &variables](const auto& self, const Scope& scope) -> void {
    for (const ProbeSink::Id id : scope.leaves) {
      const FstTrace::Variable& variable = variables[id];
      const std::string leaf = variable.name.substr(variable.info.path.rfind('.') + 1);
      std::string comment = variable.info.meaning;
      if (!variable.info.unit.empty()) comment.insert(0, variable.info.unit + (variable.info.held ? ", held: " : ": "));
      if (!comment.empty()) fstWriterSetAttrBegin(writer_, FST_AT_MISC, FST_MT_COMMENT, comment.c_str(), 0);
      fstVarType type = FST_VT_VCD_WIRE;
      std::uint32_t length = variable.info.width;
      if (variable.info.kind == ProbeInfo::Kind::real) {
        type = FST_VT_VCD_REAL;
        length = 8;
      } else if (variable.info.kind == ProbeInfo::Kind::text) {
        type = FST_VT_GEN_STRING;
        length = 0;
      }
      handles_[id] = fstWriterCreateVar(writer_, type, FST_VD_IMPLICIT, length, leaf.c_str(), 0);
    }
    for (const Scope& child : scope.scopes) {
      fstWriterSetScope(writer_, FST_ST_VCD_MODULE, child.name.c_str(), nullptr);
      self(self, child);
      fstWriterSetUpscope(writer_);
    }
  };
  write(write, root);
}

void FstFile::stamp(Ps at) {
  if (at <= last_) return;
  if (emitted_ - emitted_before_ >= std::clamp(emitted_before_ / kPartOf, kLeastPart, kMostPart)) {
    fstWriterFlushContext(writer_);
    emitted_before_ = emitted_;
  }
  fstWriterEmitTimeChange(writer_, static_cast<std::uint64_t>(at));
  first_ = std::min(first_, at);
  last_ = at;
}

void FstFile::emit(ProbeSink::Id id, const ProbeInfo& info, const ProbeValue& value) {
  const std::uint32_t handle = handles_[id];
  ++emitted_;
  switch (info.kind) {
    case ProbeInfo::Kind::bit:
      fstWriterEmitValueChange(writer_, handle, value.bits == kUnknownBit ? "x" : value.bits & 1 ? "1" : "0");
      break;
    case ProbeInfo::Kind::vector:
      fstWriterEmitValueChange64(writer_, handle, info.width, value.bits);
      break;
    case ProbeInfo::Kind::real:
      fstWriterEmitValueChange(writer_, handle, &value.real);
      break;
    case ProbeInfo::Kind::text:
      fstWriterEmitVariableLengthValueChange(writer_, handle, value.text.data(),
                                             static_cast<std::uint32_t>(value.text.size()));
      break;
  }
}

void FstFile::mark(bool active) {
  fstWriterEmitDumpActive(writer_, active);
}

void FstFile::close() {
  if (writer_) fstWriterClose(writer_);
  writer_ = nullptr;
}

}  // namespace armature::observe
