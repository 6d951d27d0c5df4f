-- Work for the Lua interpreter: `lua work.lua SIZE [calm]`. Touches most of the language and its library, prints a
-- line for each part. With "calm" it neither throws errors nor switches coroutines, so that every C function that
-- is called also returns. It never stores a constant nil: the compiler keeps that one under a key made of an address,
-- and the work must take the same way in every run.
local size = tonumber(arg[1]) or 1
local calm = arg[2] == "calm"
math.randomseed(42)

local function part(name, value) print(string.format("%-12s %s", name, value)) end

-- Numbers: integers, floats, division, bits, overflow.
do
    local sum, product, mask = 0, 1, 0
    for i = 1, 200 * size do
        sum = sum + i % 7 * 0.5 + i // 3
        product = (product * (i | 1)) & 0xffffffff
        mask = mask ~ (i << (i % 61)) ~ (i >> 2)
    end
    part("numbers", string.format("%.3f %d %d %g", sum, product, mask, math.maxinteger * 2.0))
end

-- Tables: arrays, records, holes, nesting, table library, sorting with and without a function.
do
    local list = {}
    for i = 1, 60 * size do list[i] = (i * 7919) % 1009 end
    table.sort(list)
    local words = {}
    for i = 1, 20 * size do words[#words + 1] = "w" .. (i * 31 % 97) end
    table.sort(words, function(a, b) return #a > #b or (#a == #b and a < b) end)
    local moved = table.move(list, 1, 10, 5, {})
    local record = { name = "x", nested = { { 1 }, { 2, { 3 } } }, [1.5] = "float", [-1] = true }
    local none
    record.name = none
    local keys = 0
    for _ in pairs(record) do keys = keys + 1 end
    table.insert(list, 1, -1)
    table.remove(list, 3)
    part("tables", table.concat({ list[1], list[#list], words[1], words[#words], #moved, keys }, " "))
    part("unpack", select("#", table.unpack(list, 1, 20)))
end

-- Strings: building, searching, patterns, formats, packing, UTF-8.
do
    local pieces = {}
    for i = 1, 20 * size do pieces[i] = ("line %d: key%d=value%d;"):format(i, i, i * i) end
    local text = table.concat(pieces, "\n")
    local count = 0
    for key, value in text:gmatch("(%w+)=(%w+);") do count = count + #key + #value end
    local swapped = text:gsub("key(%d+)", "%1key"):upper():reverse()
    part("strings", count .. " " .. #swapped .. " " .. text:find("value9", 1, true) .. " " .. text:rep(2, "-"):byte(-1))
    part("patterns", (" a,b ,c"):gsub("%s*,%s*", "|") .. (("f(g(x))"):match("%b()") or "") .. ("THE (quick) fox"):find("%((%a+)%)"))
    part("packing", string.pack("<i4 z s1 d", 7, "abc", "de", 1.5):byte(1, -1))
    part("utf8", utf8.len("häßlich €") .. " " .. utf8.char(228, 8364, 128512) .. " " .. #utf8.charpattern)
    part("formats", string.format("%5.2f|%-8s|%08x|%q|%i|%a", 3.14159, "left", 48879, 'quo"te\n', 42, 0.5))
end

-- Functions: closures, varargs, recursion, tail calls, metatables, goto.
do
    local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
    local function loop(n, acc) if n == 0 then return acc end return loop(n - 1, acc + n) end
    local function counter() local n = 0 return function(...) n = n + select("#", ...) return n end end
    local c = counter()
    for i = 1, 20 * size do c(i, i) end
    local vector = setmetatable({}, { __index = function(_, key) return key .. "!" end, __call = function(_, x) return x * 2 end,
        __len = function() return 99 end, __eq = function() return true end, __concat = function(a, b) return "cat" end,
        __tostring = function() return "vector" end, __lt = function() return true end, __close = function() end })
    do local held <close> = vector end
    local twice = 0
    ::again::
    twice = twice + 1
    if twice < 5 * size then goto again end
    part("functions", fib(10 + math.min(size, 15)) .. " " .. loop(100 * size, 0) .. " " .. c() .. " " .. vector.field .. " " .. vector(21)
        .. " " .. #vector .. " " .. (vector .. 1) .. " " .. tostring(vector) .. " " .. tostring(vector < vector) .. " " .. twice)
end

-- Code at run time: load, dump, a program in a string.
do
    local source = "local t = {} for i = 1, ... do t[#t + 1] = i * i end return #t, t[#t]"
    local chunk = assert(load(source, "chunk", "t"))
    local binary = load(string.dump(chunk), "binary", "b")
    local a, b = binary(10 * size)
    part("load", a .. " " .. b)
end

-- Garbage: many short-lived tables and strings, both collectors.
do
    collectgarbage("generational")
    local kept = {}
    for i = 1, 100 * size do kept[i % 17 + 1] = { i, tostring(i), { i } } end
    collectgarbage("incremental")
    collectgarbage()
    part("garbage", #kept .. " " .. kept[5][2])
end

-- Random numbers with a fixed seed.
do
    local sum = 0
    for _ = 1, 20 * size do sum = sum + math.random(1000) end
    part("random", sum)
end

if not calm then
    -- Errors: caught, rethrown, with tracebacks; runtime errors of several kinds.
    local caught = {}
    for i = 1, 3 * size do
        local ok, message = pcall(function() if i % 3 == 0 then error({ code = i }) elseif i % 3 == 1 then error("text " .. i) else return nil + 1 end end)
        caught[#caught + 1] = ok and "ok" or type(message)
    end
    local _, trace = xpcall(function() local t = nil; return t.x end, function(m) return #m end)
    local _, syntax = load("return +")
    part("errors", #caught .. " " .. caught[1] .. " " .. caught[3] .. " " .. tostring(trace) .. " " .. syntax)

    -- Coroutines: generators, wrap, errors inside, yields across pcall.
    local function generate(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
    local sum = 0
    for value in generate(10 * size) do sum = sum + value end
    local thread = coroutine.create(function(a) local b = coroutine.yield(a + 1) pcall(coroutine.yield, b * 2) error("inside") end)
    local _, first = coroutine.resume(thread, 1)
    local _, second = coroutine.resume(thread, 10)
    coroutine.resume(thread)
    part("coroutines", sum .. " " .. first .. " " .. second .. " " .. coroutine.status(thread) .. " " .. tostring(coroutine.close(thread)))
end
