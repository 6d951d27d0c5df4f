// Summarises a log of requests: weblog THREADS REQUESTS.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Request {
  uint32_t client, bytes, milliseconds;
  uint16_t status, route;
};

struct Tally {
  uint64_t requests = 0, bytes = 0;
  uint32_t slowest = 0, errors = 0;
};

class Source {
public:
  explicit Source(size_t count) : left(count) {}

  bool take(std::vector<Request> &into, size_t most) {
    std::lock_guard<std::mutex> guard(lock);
    into.clear();
    while (into.size() < most && left > 0) {
      into.push_back(make());
      left--;
    }
    return !into.empty();
  }

private:
  Request make() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t r = state >> 32;
    Request made{};
    made.client = r % 5000;
    made.bytes = 200 + r % 40000;
    made.milliseconds = (r >> 7) % 900;
    made.status = r % 37 == 0 ? 500 : 200;
    made.route = (r >> 3) % 64;
    return made;
  }

  std::mutex lock;
  size_t left;
  uint64_t state = 42;
};

class Sessions {
public:
  void note(const Request &of) {
    std::lock_guard<std::mutex> guard(lock);
    auto &seen = clients[of.client];
    seen += of.bytes;
    if (seen > 1000000) {
      std::string line = "client " + std::to_string(of.client) + " has " + std::to_string(seen);
      big.push_back(line);
      if (big.size() > 100)
        big.erase(big.begin());
    }
  }
  size_t size() const { return clients.size(); }

private:
  std::mutex lock;
  std::map<uint32_t, uint64_t> clients;
  std::vector<std::string> big;
};

Tally tallies[64];

uint32_t weigh(const Request &of) {
  uint32_t sum = of.route;
  for (int i = 0; i < 40; i++)
    sum = sum * 31 + (of.bytes >> (i % 16)) + of.milliseconds;
  return sum;
}

void work(int number, Source &source, Sessions &sessions, std::atomic<uint64_t> &check) {
  std::vector<Request> batch;
  uint64_t sum = 0;
  while (source.take(batch, 256)) {
    for (const Request &of : batch) {
      Tally &mine = tallies[number];
      mine.requests++;
      mine.bytes += of.bytes;
      if (of.milliseconds > mine.slowest)
        mine.slowest = of.milliseconds;
      mine.errors += of.status >= 500;
      sum += weigh(of);
      if (of.route % 2 == 0)
        sessions.note(of);
    }
  }
  check += sum;
}

} // namespace

int main(int count, char **words) {
  int threads = count > 1 ? atoi(words[1]) : 4;
  size_t requests = count > 2 ? strtoul(words[2], nullptr, 10) : 200000;
  Source source(requests);
  Sessions sessions;
  std::atomic<uint64_t> check{0};
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++)
    all.emplace_back(work, i, std::ref(source), std::ref(sessions), std::ref(check));
  for (auto &one : all)
    one.join();
  Tally sum;
  for (int i = 0; i < threads; i++) {
    sum.requests += tallies[i].requests;
    sum.bytes += tallies[i].bytes;
    sum.errors += tallies[i].errors;
  }
  printf("%lu requests, %lu bytes, %u errors, %zu clients, %lx\n", (unsigned long)sum.requests,
         (unsigned long)sum.bytes, sum.errors, sessions.size(), (unsigned long)check.load());
}
