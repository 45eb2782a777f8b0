#include "armature/nbd/session.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace armature::nbd {
namespace {

// Numbers of doc/proto.md of the reference implementation.
constexpr std::uint64_t kHello = 0x4E42444D41474943;   // "NBDMAGIC"
constexpr std::uint64_t kOption = 0x49484156454F5054;  // "IHAVEOPT"
constexpr std::uint64_t kOptionReply = 0x0003E889045565A9;
constexpr std::uint32_t kRequest = 0x25609513;
constexpr std::uint32_t kSimpleReply = 0x67446698;
constexpr std::uint32_t kStructuredReply = 0x668E33EF;

constexpr std::uint16_t kFixedNewstyle = 1, kNoZeroes = 2;  // handshake flags

enum : std::uint32_t {
  kOptExportName = 1,
  kOptAbort = 2,
  kOptList = 3,
  kOptInfo = 6,
  kOptGo = 7,
  kOptStructuredReply = 8,
  kOptListMetaContext = 9,
  kOptSetMetaContext = 10,
};
enum : std::uint32_t {
  kRepAck = 1,
  kRepServer = 2,
  kRepInfo = 3,
  kRepMetaContext = 4,
  kRepErrUnsupported = 0x8000'0001,
  kRepErrInvalid = 0x8000'0003,
  kRepErrUnknown = 0x8000'0006,
  kRepErrTooBig = 0x8000'0009,
};
enum : std::uint16_t { kInfoExport = 0, kInfoName = 1, kInfoDescription = 2, kInfoBlockSize = 3 };
enum : std::uint16_t { kRead = 0, kWrite = 1, kDisconnect = 2, kFlush = 3, kBlockStatus = 7 };
enum : std::uint16_t { kFlagFua = 1, kFlagDf = 4, kFlagReqOne = 8 };
enum : std::uint16_t {
  kHasFlags = 1,
  kSendFlush = 4,
  kSendFua = 8,
  kRotational = 16,
  kSendDf = 128,
  kCanMultiConn = 256
};
enum : std::uint16_t { kChunkNone = 0, kChunkData = 1, kChunkBlockStatus = 5, kChunkError = 0x8001 };
constexpr std::uint16_t kDone = 1;  // last chunk of a reply
enum : std::uint32_t { kNoError = 0, kEio = 5, kEinval = 22, kEnospc = 28, kEoverflow = 75, kEshutdown = 108 };

constexpr std::string_view kAllocation = "base:allocation";
constexpr std::uint32_t kAllocationId = 1;

constexpr std::size_t kOptionHeader = 16, kRequestHeader = 28;
constexpr std::uint32_t kMostOptionBytes = 64u << 10;
constexpr std::size_t kMostOutstanding = 1024;
constexpr std::uint64_t kMostOutstandingBytes = 4u * Session::kMostBytes;
constexpr std::uint32_t kPreferredBytes = 4096;

/// Appends integers, most significant byte first.
template <class Integer>
void put(std::string& to, Integer value) {
  for (int shift = static_cast<int>(sizeof value) * 8 - 8; shift >= 0; shift -= 8)
    to += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFF);
}

template <class... Integers>
std::string bytes_of(Integers... values) {
  std::string text;
  (put(text, values), ...);
  return text;
}

/// Takes an integer from the front; nothing if there are too few bytes.
template <class Integer>
std::optional<Integer> take_integer(std::string_view& from) {
  if (from.size() < sizeof(Integer)) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) value = value << 8 | static_cast<std::uint8_t>(from[i]);
  from.remove_prefix(sizeof(Integer));
  return static_cast<Integer>(value);
}

/// Takes a text with its 32-bit length before it.
std::optional<std::string_view> take_text(std::string_view& from) {
  const auto length = take_integer<std::uint32_t>(from);
  if (!length || *length > from.size()) return std::nullopt;
  const std::string_view text = from.substr(0, *length);
  from.remove_prefix(*length);
  return text;
}

std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void Operation::end(bool ok) {
  if (const std::shared_ptr<Session> alive = session.lock()) alive->reply(*this, ok);
}

Session::Session(std::vector<Disk*> disks) : disks_(std::move(disks)) {
  output_ = bytes_of(kHello, kOption, static_cast<std::uint16_t>(kFixedNewstyle | kNoZeroes));
}

void Session::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < output_.size() && sent_ < kMostBytes) return;
  output_.erase(0, sent_);
  sent_ = 0;
}

bool Session::wants_input() const {
  return !leaving_ && outstanding_ < kMostOutstanding &&
         outstanding_bytes_ + (output_.size() - sent_) < kMostOutstandingBytes;
}

void Session::lost() {
  leave();
  lost_ = true;
}

void Session::leave() {
  leaving_ = true;
  input_.clear();
  used_ = 0;
}

void Session::take(std::string_view bytes) {
  if (leaving_) return;
  input_ += bytes;
  while (!leaving_ && step()) {
  }
  input_.erase(0, used_);
  used_ = 0;
}

/// Takes one unit of the input. False: it is not complete.
bool Session::step() {
  switch (stage_) {
    case Stage::client_flags:
      return take_flags();
    case Stage::option:
      return take_option();
    case Stage::request:
      return take_request();
    case Stage::payload:
      take_payload();
      return stage_ != Stage::payload;
  }
  return false;
}

bool Session::take_flags() {
  std::string_view in = std::string_view(input_).substr(used_);
  const auto flags = take_integer<std::uint32_t>(in);
  if (!flags) return false;
  used_ += sizeof *flags;
  no_zeroes_ = (*flags & kNoZeroes) != 0;
  if ((*flags & kFixedNewstyle) == 0 || *flags > (kFixedNewstyle | kNoZeroes)) leave();
  stage_ = Stage::option;
  return true;
}

bool Session::take_option() {
  std::string_view in = std::string_view(input_).substr(used_);
  if (in.size() < kOptionHeader) return false;
  const auto magic = take_integer<std::uint64_t>(in);
  const auto option = take_integer<std::uint32_t>(in);
  const auto length = take_integer<std::uint32_t>(in);
  if (magic != kOption || *length > kMostOptionBytes) {
    leave();
    return false;
  }
  if (in.size() < *length) return false;
  const std::string data(in.substr(0, *length));
  used_ += kOptionHeader + *length;
  on_option(*option, data);
  return true;
}

void Session::on_option(std::uint32_t option, std::string_view data) {
  switch (option) {
    case kOptExportName:
      return on_export_name(data);
    case kOptAbort:
      option_reply(option, kRepAck);
      return leave();
    case kOptList:
      return on_list(data);
    case kOptInfo:
    case kOptGo:
      return on_info(option, data);
    case kOptStructuredReply:
      structured_ = structured_ || data.empty();
      return option_reply(option, data.empty() ? kRepAck : kRepErrInvalid);
    case kOptListMetaContext:
    case kOptSetMetaContext:
      return on_meta_context(option, data);
    default:
      return option_reply(option, kRepErrUnsupported);
  }
}

void Session::option_reply(std::uint32_t option, std::uint32_t type, std::string_view data) {
  output_ += bytes_of(kOptionReply, option, type, static_cast<std::uint32_t>(data.size()));
  output_ += data;
}

Disk* Session::disk_named(std::string_view name) const {
  if (name.empty()) return disks_.front();
  const auto found =
      std::find_if(disks_.begin(), disks_.end(), [name](const Disk* disk) { return disk->description().name == name; });
  return found == disks_.end() ? nullptr : *found;
}

std::uint16_t Session::transmission_flags(const Disk::Description& disk) const {
  // Every connection reads what another has written and flushes what another has had acknowledged: one drive.
  return static_cast<std::uint16_t>(kHasFlags | kSendFlush | kSendFua | kCanMultiConn | (structured_ ? kSendDf : 0) |
                                    (disk.rotational ? kRotational : 0));
}

/// An option without an error reply: what is unknown ends the connection.
void Session::on_export_name(std::string_view name) {
  disk_ = disk_named(name);
  if (!disk_) return leave();
  output_ += bytes_of(disk_->description().bytes, transmission_flags(disk_->description()));
  if (!no_zeroes_) output_.append(124, '\0');
  stage_ = Stage::request;
}

void Session::on_list(std::string_view data) {
  if (!data.empty()) return option_reply(kOptList, kRepErrInvalid);
  for (const Disk* const disk : disks_) {
    const std::string& name = disk->description().name;
    option_reply(kOptList, kRepServer, bytes_of(static_cast<std::uint32_t>(name.size())) + name);
  }
  option_reply(kOptList, kRepAck);
}

void Session::info(std::uint32_t option, std::string_view data) {
  option_reply(option, kRepInfo, data);
}

void Session::on_info(std::uint32_t option, std::string_view data) {
  const auto name = take_text(data);
  const auto count = take_integer<std::uint16_t>(data);
  if (!name || !count || data.size() != std::size_t{2} * *count) return option_reply(option, kRepErrInvalid);
  Disk* const disk = disk_named(*name);
  if (!disk) return option_reply(option, kRepErrUnknown);
  const Disk::Description& about = disk->description();
  info(option, bytes_of(std::uint16_t{kInfoExport}, about.bytes, transmission_flags(about)));
  info(option, bytes_of(std::uint16_t{kInfoBlockSize}, about.block_bytes, std::max(about.block_bytes, kPreferredBytes),
                        kMostBytes));
  for (unsigned i = 0; i < *count; ++i) {
    const auto wanted = take_integer<std::uint16_t>(data);
    if (wanted == kInfoName) info(option, bytes_of(std::uint16_t{kInfoName}) + about.name);
    if (wanted == kInfoDescription) info(option, bytes_of(std::uint16_t{kInfoDescription}) + about.text);
  }
  if (option == kOptGo) {
    disk_ = disk;
    stage_ = Stage::request;
  }
  option_reply(option, kRepAck);
}

void Session::on_meta_context(std::uint32_t option, std::string_view data) {
  const bool sets = option == kOptSetMetaContext;
  if (sets) allocation_ = false;
  const auto name = take_text(data);
  const auto count = take_integer<std::uint32_t>(data);
  if (!name || !count || (sets && !structured_)) return option_reply(option, kRepErrInvalid);
  if (!disk_named(*name)) return option_reply(option, kRepErrUnknown);
  bool wanted = !sets && *count == 0;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto query = take_text(data);
    if (!query) return option_reply(option, kRepErrInvalid);
    wanted = wanted || *query == kAllocation || (!sets && *query == "base:");
  }
  if (!data.empty()) return option_reply(option, kRepErrInvalid);
  if (wanted) {
    option_reply(option, kRepMetaContext, bytes_of(sets ? kAllocationId : 0u) + std::string(kAllocation));
    allocation_ = allocation_ || sets;
  }
  option_reply(option, kRepAck);
}

bool Session::take_request() {
  std::string_view in = std::string_view(input_).substr(used_);
  if (in.size() < kRequestHeader) return false;
  if (take_integer<std::uint32_t>(in) != kRequest) {
    leave();
    return false;
  }
  Request request;
  request.flags = *take_integer<std::uint16_t>(in);
  request.type = *take_integer<std::uint16_t>(in);
  request.cookie = *take_integer<std::uint64_t>(in);
  request.offset = *take_integer<std::uint64_t>(in);
  request.bytes = *take_integer<std::uint32_t>(in);
  used_ += kRequestHeader;
  if (request.type != kWrite) {
    on_request(request);
    return true;
  }
  if (request.bytes > kMostBytes) {  // its payload is not worth reading
    leave();
    return false;
  }
  write_ = request;
  payload_.clear();
  payload_.reserve(request.bytes);
  stage_ = Stage::payload;
  return true;
}

void Session::take_payload() {
  const std::string_view in = std::string_view(input_).substr(used_);
  const std::size_t part = std::min<std::size_t>(in.size(), write_.bytes - payload_.size());
  payload_.insert(payload_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(part));
  used_ += part;
  if (payload_.size() < write_.bytes) return;
  stage_ = Stage::request;
  on_request(write_);
}

/// 0: it can be done.
std::uint32_t Session::refusal(const Request& request) const {
  if (shutting_down_) return kEshutdown;
  const Disk::Description& about = disk_->description();
  const std::uint16_t allowed = request.type == kRead          ? static_cast<std::uint16_t>(kFlagFua | kFlagDf)
                                : request.type == kBlockStatus ? std::uint16_t{kFlagReqOne}
                                                               : std::uint16_t{kFlagFua};
  if ((request.flags & ~allowed) != 0) return kEinval;
  if ((request.flags & kFlagDf) != 0 && !structured_) return kEinval;
  if (request.type == kFlush) return request.offset == 0 && request.bytes == 0 ? kNoError : kEinval;
  if (request.bytes == 0) return kEinval;
  if (request.offset > about.bytes || request.bytes > about.bytes - request.offset)
    return request.type == kWrite ? kEnospc : kEinval;
  if (request.type == kBlockStatus) return allocation_ ? kNoError : kEinval;
  if (request.bytes > kMostBytes) return kEoverflow;
  return request.offset % about.block_bytes == 0 && request.bytes % about.block_bytes == 0 ? kNoError : kEinval;
}

void Session::on_request(const Request& request) {
  if (request.type == kDisconnect) return leave();
  const bool known =
      request.type == kRead || request.type == kWrite || request.type == kFlush || request.type == kBlockStatus;
  if (const std::uint32_t error = known ? refusal(request) : kEinval; error != 0) return error_reply(request, error);
  if (request.type == kBlockStatus) return on_block_status(request);
  begin(request, std::exchange(payload_, {}));
}

void Session::begin(const Request& request, std::vector<std::uint8_t> data) {
  auto operation = std::make_unique<Operation>();
  operation->kind = request.type == kRead    ? Operation::Kind::read
                    : request.type == kWrite ? Operation::Kind::write
                                             : Operation::Kind::flush;
  operation->fua = request.type == kWrite && (request.flags & kFlagFua) != 0;
  operation->offset = request.offset;
  operation->bytes = request.bytes;
  operation->cookie = request.cookie;
  operation->data = std::move(data);
  operation->data.resize(request.bytes);
  operation->session = weak_from_this();
  ++outstanding_;
  outstanding_bytes_ += operation->bytes;
  disk_->begin(std::move(operation));
}

void Session::on_block_status(const Request& request) {
  chunk(request.cookie, kChunkBlockStatus, bytes_of(kAllocationId, request.bytes, std::uint32_t{0}));
}

void Session::error_reply(const Request& request, std::uint32_t error) {
  payload_.clear();
  if (structured_ && (request.type == kRead || request.type == kBlockStatus))
    chunk(request.cookie, kChunkError, bytes_of(error, std::uint16_t{0}));
  else
    output_ += bytes_of(kSimpleReply, error, request.cookie);
}

/// The only chunk of a reply.
void Session::chunk(std::uint64_t cookie, std::uint16_t type, std::string_view head, std::string_view data) {
  output_ += bytes_of(kStructuredReply, kDone, type, cookie, static_cast<std::uint32_t>(head.size() + data.size()));
  output_ += head;
  output_ += data;
}

void Session::reply(const Operation& operation, bool ok) {
  --outstanding_;
  outstanding_bytes_ -= operation.bytes;
  const bool reads = operation.kind == Operation::Kind::read;
  if (structured_ && reads) {
    if (ok)
      chunk(operation.cookie, kChunkData, bytes_of(operation.offset), as_text(operation.data));
    else
      chunk(operation.cookie, kChunkError, bytes_of(std::uint32_t{kEio}, std::uint16_t{0}));
    return;
  }
  output_ += bytes_of(kSimpleReply, ok ? 0u : std::uint32_t{kEio}, operation.cookie);
  if (ok && reads) output_ += as_text(operation.data);
}

}  // namespace armature::nbd
