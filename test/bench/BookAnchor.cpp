// The plainest fast order book once more, in C++: what this machine allows. Built and run by Matching.ts.
//
//   g++ -O3 -march=native -std=c++17 BookAnchor.cpp -o book && ./book flow.bin 3
//
// Prices are ticks. A price has a queue of orders linked through the orders themselves, and one bit that says whether
// the queue holds any; finding the next best price is a search for the next bit. It prints one line of JSON.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int32_t ticks = 1 << 17;
constexpr int32_t nobody = -1;
enum Side : int32_t { buy = 0, sell = 1 };
enum Kind : int32_t { add = 0, cancel = 1, market = 2 };

struct Record {
  int32_t kind, side, price, quantity, id;
};

struct Order {
  int32_t price, quantity, side, before, after;
};

struct Queue {
  int32_t head = nobody, tail = nobody;
};

class Ladder {
 public:
  explicit Ladder(Side side) : side_(side), best(side == buy ? -1 : ticks), queues_(ticks), words_(ticks / 64) {}

  Queue& at(int32_t price) { return queues_[price]; }

  void opened(int32_t price) {
    words_[price >> 6] |= uint64_t{1} << (price & 63);
    if (side_ == buy ? price > best : price < best) best = price;
  }

  void emptied(int32_t price) {
    words_[price >> 6] &= ~(uint64_t{1} << (price & 63));
    if (price == best) best = side_ == buy ? below(price) : above(price);
  }

 private:
  int32_t below(int32_t price) const {
    int32_t word = price >> 6;
    uint64_t found = words_[word] & (~uint64_t{0} >> (63 - (price & 63)));
    while (found == 0 && --word >= 0) found = words_[word];
    return found == 0 ? -1 : (word << 6) + 63 - __builtin_clzll(found);
  }

  int32_t above(int32_t price) const {
    int32_t word = price >> 6;
    uint64_t found = words_[word] & (~uint64_t{0} << (price & 63));
    while (found == 0 && ++word < ticks / 64) found = words_[word];
    return found == 0 ? ticks : (word << 6) + __builtin_ctzll(found);
  }

  Side side_;

 public:
  int32_t best;

 private:
  std::vector<Queue> queues_;
  std::vector<uint64_t> words_;
};

class Book {
 public:
  explicit Book(int32_t capacity) : orders_(capacity) {}

  void take(const Record& record) {
    switch (record.kind) {
      case add: {
        const int32_t left = cross(record.side, record.quantity, record.price);
        if (left > 0) rest(record, left);
        return;
      }
      case cancel:
        if (orders_[record.id].quantity > 0) remove(record.id);
        return;
      default:
        cross(record.side, record.quantity, record.side == buy ? ticks : -1);
    }
  }

  int32_t bid() const { return ladders_[buy].best; }
  int32_t ask() const { return ladders_[sell].best; }
  int64_t trades = 0, volume = 0, notional = 0, resting = 0;

 private:
  int32_t cross(int32_t side, int32_t quantity, int32_t limit) {
    Ladder& other = ladders_[side ^ 1];
    while (quantity > 0) {
      const int32_t price = other.best;
      if (side == buy ? price > limit || price >= ticks : price < limit || price < 0) break;
      const int32_t maker = other.at(price).head;
      Order& order = orders_[maker];
      const int32_t filled = order.quantity < quantity ? order.quantity : quantity;
      quantity -= filled;
      trades++;
      volume += filled;
      notional += int64_t{filled} * price;
      if (filled == order.quantity) remove(maker);
      else order.quantity -= filled;
    }
    return quantity;
  }

  void rest(const Record& record, int32_t quantity) {
    Ladder& ladder = ladders_[record.side];
    Queue& queue = ladder.at(record.price);
    orders_[record.id] = {record.price, quantity, record.side, queue.tail, nobody};
    if (queue.tail == nobody) {
      queue.head = record.id;
      ladder.opened(record.price);
    } else {
      orders_[queue.tail].after = record.id;
    }
    queue.tail = record.id;
    resting++;
  }

  void remove(int32_t id) {
    Order& order = orders_[id];
    Ladder& ladder = ladders_[order.side];
    Queue& queue = ladder.at(order.price);
    (order.before == nobody ? queue.head : orders_[order.before].after) = order.after;
    (order.after == nobody ? queue.tail : orders_[order.after].before) = order.before;
    order.quantity = 0;
    resting--;
    if (queue.head == nobody) ladder.emptied(order.price);
  }

  Ladder ladders_[2] = {Ladder(buy), Ladder(sell)};
  std::vector<Order> orders_;
};

std::vector<int32_t> read(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(2);
  std::fseek(file, 0, SEEK_END);
  std::vector<int32_t> ints(std::ftell(file) / sizeof(int32_t));
  std::rewind(file);
  if (std::fread(ints.data(), sizeof(int32_t), ints.size(), file) != ints.size()) std::exit(2);
  std::fclose(file);
  return ints;
}

}  // namespace

/** Whole passes, each on a new book, until the timed parts add up to the seconds; one pass before them warms up. */
int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::vector<int32_t> ints = read(arguments[1]);
  const double wanted = std::atof(arguments[2]);
  const int64_t operations = ints[0], prefill = ints[1];
  const Record* records = reinterpret_cast<const Record*>(ints.data() + 2);
  double seconds = 0;
  int64_t passes = 0;
  for (bool warm = false; seconds < wanted; warm = true) {
    Book book(static_cast<int32_t>(operations + prefill + 2));
    for (int64_t i = 0; i < prefill; i++) book.take(records[i]);
    const auto started = std::chrono::steady_clock::now();
    for (int64_t i = prefill; i < prefill + operations; i++) book.take(records[i]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    if (warm) {
      seconds += took.count();
      passes++;
    }
    if (seconds >= wanted) {
      std::printf(
          "{\"operations\":%lld,\"seconds\":%.6f,\"totals\":{\"trades\":%lld,\"volume\":%lld,\"notional\":%lld,"
          "\"resting\":%lld,\"bid\":%d,\"ask\":%d}}\n",
          static_cast<long long>(operations * passes), seconds, static_cast<long long>(book.trades),
          static_cast<long long>(book.volume), static_cast<long long>(book.notional),
          static_cast<long long>(book.resting), book.bid(), book.ask());
    }
  }
}
