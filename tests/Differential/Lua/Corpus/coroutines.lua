-- # basics
local co = coroutine.create(function(a, b) print("start", a, b) local c = coroutine.yield(a + b) print("got", c) local d, e = coroutine.yield(c * 2) print("got", d, e) return "end", 99 end)
print(coroutine.status(co), coroutine.resume(co, 1, 2)) print(coroutine.status(co), coroutine.resume(co, 10)) print(coroutine.resume(co, "x", "y")) print(coroutine.status(co), coroutine.resume(co)) print(coroutine.resume(co))
print(type(co), coroutine.running(), coroutine.resume(coroutine.create(function() return coroutine.running() ~= nil, coroutine.status(coroutine.running()) end)))
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(gen(), gen(), gen(), gen()) print(pcall(gen))
for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end) do print(v) end
print(select("#", coroutine.resume(coroutine.create(function() coroutine.yield() end)))) print(coroutine.resume(coroutine.create(function(...) return select("#", ...) end), nil, nil))
-- # errors
print(coroutine.resume(coroutine.create(function() error("inside") end))) print(coroutine.resume(coroutine.create(function() error({}) end)))
print(coroutine.resume(coroutine.create(function() local x = nil + 1 end))) print(pcall(coroutine.wrap(function() error("wrapped") end))) print(pcall(coroutine.wrap(function() error({1}) end)))
print(pcall(function() coroutine.wrap(function() error("level0", 0) end)() end)) print(pcall(coroutine.yield, 1)) print(pcall(coroutine.wrap(function() return pcall(coroutine.yield, 1) end)))
local co co = coroutine.create(function() print(coroutine.resume(co)) print(coroutine.status(co)) end) print(coroutine.resume(co))
local outer outer = coroutine.create(function() local inner = coroutine.create(function() print(coroutine.status(outer), coroutine.resume(outer)) end) print(coroutine.resume(inner)) end) print(coroutine.resume(outer))
print(coroutine.resume(coroutine.create(function() return setmetatable({}, {__index = function() coroutine.yield() end}).x end)))
print(coroutine.resume(coroutine.create(function() for x in function() coroutine.yield() end do end end)))
print(coroutine.resume(coroutine.create(function() return setmetatable({}, {__add = function() coroutine.yield() end}) + 1 end)))
print(coroutine.resume(coroutine.create(function() return setmetatable({}, {__call = function() return coroutine.yield(5) end})() end)))
-- # nesting
local function range(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end
local sum = 0 for a in range(5) do for b in range(a) do sum = sum + b end end print(sum)
local function tree(n) if n == 0 then return end tree(n - 1) coroutine.yield(n) tree(n - 1) end local out = "" for v in coroutine.wrap(function() tree(4) end) do out = out .. v end print(out)
local function producer() return coroutine.create(function() for _, v in ipairs {"a", "b", "c"} do coroutine.yield(v) end return "done" end) end
local function filter(p) return coroutine.create(function() while true do local ok, v = coroutine.resume(p) if v == "done" then return "finished" end coroutine.yield(v .. v) end end) end
local f = filter(producer()) for i = 1, 5 do print(coroutine.resume(f)) end
local shared = 0 local cos = {} for i = 1, 3 do cos[i] = coroutine.wrap(function() while true do shared = shared + i coroutine.yield(shared) end end) end
for r = 1, 2 do for i = 1, 3 do print(cos[i]()) end end
local function tailyield(...) return coroutine.yield(...) end local t = coroutine.wrap(function(a) return tailyield(a, 1) end) print(t(5)) print(t(6, 7))
local vw = coroutine.wrap(function(...) local a = {...} while true do a = {coroutine.yield(unpack(a))} end end) print(vw(1, 2, 3)) print(vw()) print(vw(nil, nil))
local up = 0 local closer = coroutine.wrap(function() local x = 0 local f = function() x = x + 1 return x end coroutine.yield(f) x = 10 coroutine.yield(f) end) local f1 = closer() print(f1(), f1()) local f2 = closer() print(f2(), f1 == f2)
local many = {} for i = 1, 1000 do many[i] = coroutine.wrap(function() coroutine.yield(i) return -i end) end local s = 0 for i = 1, 1000 do s = s + many[i]() end for i = 1, 1000 do s = s + many[i]() end print(s)
local deep = coroutine.wrap(function() local function r(n) if n == 0 then coroutine.yield("bottom") return 0 end return 1 + r(n - 1) end return r(1000) end) print(deep(), deep())
local env = coroutine.wrap(function() setfenv(0, setmetatable({seen = 5}, {__index = _G})) return loadstring("return seen")() end) print(env(), seen)
