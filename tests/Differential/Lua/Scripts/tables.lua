-- table: sorting, holes, metamethods that it does not know.
local function show(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  print(table.concat(parts, "|"))
end
local t = {5, 2, 8, 1, 9, 3}
table.sort(t) show(unpack(t))
table.sort(t, function(a, b) return a > b end) show(unpack(t))
local words = {"banana", "apple", "cherry", "Apple", "", "a\0b", "a"}
table.sort(words) show(#words, words[1], words[2], words[7])
-- Which of equal elements comes first is seen in scripts.
local pairs_ = {}
for i = 1, 60 do pairs_[i] = {key = i % 7, id = i} end
table.sort(pairs_, function(a, b) return a.key < b.key end)
local ids = {}
for i, p in ipairs(pairs_) do ids[i] = p.id end
show(table.concat(ids, " "))
local x = 7
local calls = 0
local many = {}
for i = 1, 500 do x = (x * 1103515245 + 12345) % 2147483648 many[i] = x % 100 end
table.sort(many, function(a, b) calls = calls + 1 return a < b end)
show(calls, table.concat(many, ","))
show(pcall(table.sort, {3, 1, "x"}))
show(pcall(table.sort, {{}, {}}))
show(pcall(table.sort, {1, 2, nil, 4}, function(a, b) return a < b end))
show(pcall(table.sort, {3, 2, 1}, function() error("no") end))
show(pcall(table.sort, {1, 2, 3, 4, 5}, function() return true end))
show(pcall(table.sort, {1, 2}, 5))
show(pcall(table.sort))
show(pcall(function() table.sort(nil) end))
local mt = {__lt = function(a, b) return a.v < b.v end}
local objects = {}
for i = 1, 9 do objects[i] = setmetatable({v = (i * 5) % 9}, mt) end
table.sort(objects)
for i = 1, 9 do objects[i] = objects[i].v end
show(unpack(objects))
local list = {}
table.insert(list, "a") table.insert(list, 1, "b") table.insert(list, 2, "c") show(unpack(list))
show(table.remove(list), table.remove(list, 1), #list, table.remove(list, 9), table.remove({}))
show(pcall(table.insert, list)) show(pcall(table.insert, list, 1, 2, 3)) show(pcall(table.insert, nil, 1))
table.insert(list, 5, "far") show(#list, list[5])
show(table.concat({1, 2.5, "x"}, "-"), table.concat({}, "x"), table.concat({1, 2, 3}, ",", 2, 3))
show(pcall(table.concat, {1, {}, 3})) show(pcall(table.concat, {1, nil, 3}, ",", 1, 3))
show(pcall(table.concat, {}, ",", 1, 2))
show(table.maxn({1, 2, [10.5] = 1}), table.getn({1, 2, 3}))
show(table.foreach({a = 1}, function(k, v) return k .. v end))
show(table.foreachi({7, 8, 9}, function(i, v) if v == 8 then return i end end))
show(pcall(table.setn, {}, 1))
show(math.max(1, 5, 3), math.min(4, 2), math.floor(-3.5), math.ceil(-3.5), math.fmod(-7, 3), math.fmod(7, -3))
show(math.modf(-3.25)) show(math.frexp(10)) show(math.ldexp(0.5, 4), math.pow(2, 10), math.sqrt(2))
show(pcall(math.floor, "x")) show(pcall(math.floor)) show(pcall(math.max)) show(math.floor("10"))
show(pcall(function() math.floor({}) end))
show(math.pi, math.huge, -math.huge, math.abs(-0.0))
