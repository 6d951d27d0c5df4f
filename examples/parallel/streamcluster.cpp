// Groups points that arrive in portions, by opening and closing facilities: the local search of
// streaming k-median (Guha et al.: Clustering data streams, 2000), as in PARSEC's streamcluster.
//
//     streamcluster [THREADS [POINTS]]
//
// For a random candidate, threads compute what would be saved if it were opened: each looks at its
// share of the points, and there is a barrier before the shares are summed up. Coordinates and
// costs are whole numbers, so that sums do not depend on their order.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int DIMENSIONS = 16, MOST_THREADS = 64;
constexpr size_t PORTION = 1000, CANDIDATES = 60, MOST_POINTS = 1000000;
constexpr int64_t FACILITY_COST = 300000;

// Nobody goes on before all are here. C++17 has no barrier of its own.
class Barrier {
public:
    explicit Barrier(int threads) : threads(threads) {}

    void wait() {
        std::unique_lock<std::mutex> held(lock);
        const unsigned mine = round;
        if (++arrived == threads) {
            arrived = 0;
            round++;
            all_here.notify_all();
        } else {
            all_here.wait(held, [&] { return round != mine; });
        }
    }

private:
    std::mutex lock;
    std::condition_variable all_here;
    const int threads;
    int arrived = 0;
    unsigned round = 0;
};

struct Point {
    std::array<int32_t, DIMENSIONS> at{};
    int64_t weight = 1;
    // The facility it belongs to, and what that costs.
    size_t facility = 0;
    int64_t cost = 0;
};

uint64_t dice(uint64_t item) {
    uint64_t x = (item + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

int64_t distance(const Point &one, const Point &other) {
    int64_t sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        const int64_t apart = one.at[d] - other.at[d];
        sum += apart * apart;
    }
    return sum;
}

// A point near one of a dozen centres.
Point made_up(uint64_t number) {
    Point point;
    const uint64_t centre = dice(number) % 12;
    for (uint64_t d = 0; d < DIMENSIONS; d++)
        point.at[d] = static_cast<int32_t>(dice(centre * 1000 + d) % 400 +
                                           dice(number * 64 + d + (uint64_t{1} << 40)) % 60);
    return point;
}

class Clustering {
public:
    explicit Clustering(int threads) : threads(threads), barrier(threads), shares(threads) {}

    // Improves the facilities of some points; all threads of a team call it.
    void improve(std::vector<Point> &points, int thread, uint64_t seed) {
        const size_t from = points.size() * thread / threads;
        const size_t to = points.size() * (thread + 1) / threads;
        for (size_t i = from; i < to; i++) {
            points[i].facility = 0;
            points[i].cost = points[i].weight * distance(points[i], points[0]);
        }
        barrier.wait();
        for (size_t round = 0; round < CANDIDATES; round++)
            consider(points, dice(seed + round) % points.size(), thread, from, to);
    }

    // What is left of points: those that are facilities, with the weight of all that belong to
    // them.
    static std::vector<Point> facilities(const std::vector<Point> &points) {
        std::vector<int64_t> weight(points.size());
        for (const Point &point : points)
            weight[point.facility] += point.weight;
        std::vector<Point> kept;
        for (size_t i = 0; i < points.size(); i++)
            if (weight[i] > 0) {
                kept.push_back(points[i]);
                kept.back().weight = weight[i];
            }
        return kept;
    }

private:
    // What a thread found: what all facilities that lose points would save if they were closed.
    struct Share {
        int64_t saved = 0;
        std::vector<int64_t> closing;
    };

    // Opens a candidate if that is cheaper.
    void consider(std::vector<Point> &points, size_t candidate, int thread, size_t from,
                  size_t to) {
        Share &mine = shares[thread];
        mine.saved = 0;
        mine.closing.assign(points.size(), 0);
        for (size_t i = from; i < to; i++) {
            const int64_t cost = points[i].weight * distance(points[i], points[candidate]);
            if (cost < points[i].cost)
                mine.saved += points[i].cost - cost;
            else
                mine.closing[points[i].facility] += cost - points[i].cost;
        }
        barrier.wait();
        if (thread == 0)
            decide(points, candidate);
        barrier.wait();
        if (opens)
            reassign(points, candidate, from, to);
        barrier.wait();
    }

    // Whether the candidate is worth its cost, and which facilities it makes superfluous.
    void decide(const std::vector<Point> &points, size_t candidate) {
        int64_t gain = -FACILITY_COST;
        for (const Share &share : shares)
            gain += share.saved;
        closes.assign(points.size(), false);
        std::vector<bool> is_open(points.size());
        for (const Point &point : points)
            is_open[point.facility] = true;
        for (size_t i = 0; i < points.size(); i++) {
            int64_t extra = 0;
            for (const Share &share : shares)
                extra += share.closing[i];
            if (is_open[i] && extra < FACILITY_COST) {
                closes[i] = true;
                gain += FACILITY_COST - extra;
            }
        }
        opens = gain > 0 && !is_open[candidate];
    }

    void reassign(std::vector<Point> &points, size_t candidate, size_t from, size_t to) const {
        for (size_t i = from; i < to; i++) {
            const int64_t cost = points[i].weight * distance(points[i], points[candidate]);
            if (cost < points[i].cost || closes[points[i].facility]) {
                points[i].facility = candidate;
                points[i].cost = cost;
            }
        }
    }

    const int threads;
    Barrier barrier;
    std::vector<Share> shares;
    std::vector<bool> closes;
    bool opens = false;
};

// Runs the same in all threads of a team.
void run_team(int threads, const std::function<void(int)> &work) {
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; thread++)
        others.emplace_back(work, thread);
    work(0);
    for (std::thread &other : others)
        other.join();
}

} // namespace

int main(int argc, char **argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    const size_t count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 3000;
    if (threads < 1 || threads > MOST_THREADS || count < 1 || count > MOST_POINTS) {
        std::fprintf(stderr, "usage: %s [THREADS [POINTS]], at most %d and %zu\n", argv[0],
                     MOST_THREADS, MOST_POINTS);
        return 2;
    }
    Clustering clustering(threads);
    std::vector<Point> kept;
    for (size_t first = 0; first < count; first += PORTION) {
        for (size_t i = first; i < std::min(count, first + PORTION); i++)
            kept.push_back(made_up(i));
        run_team(threads, [&](int thread) { clustering.improve(kept, thread, first); });
        kept = Clustering::facilities(kept);
    }
    uint64_t sum = 0;
    for (const Point &point : kept) {
        sum = (sum ^ static_cast<uint64_t>(point.weight)) * 0x100000001b3u;
        for (const int32_t coordinate : point.at)
            sum = (sum ^ static_cast<uint64_t>(coordinate)) * 0x100000001b3u;
    }
    std::printf("streamcluster: %zu points, %zu facilities, %016lx\n", count, kept.size(),
                static_cast<unsigned long>(sum));
    return 0;
}
