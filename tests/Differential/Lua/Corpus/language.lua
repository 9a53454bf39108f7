-- # values
print(nil, true, false, 1, -1, 1.5, "text", type(nil), type(1), type("x"), type({}), type(print))
print(not nil, not 0, not "", nil and 1, 1 and nil, false or nil, nil or false, 1 or error())
print(1 and 2 or 3, nil and 2 or 3, false == nil, 1 == 1.0, "1" == 1, not not nil)
local a, b = nil
print(a == nil and b == nil, (a or b) == nil, a and b, a ~= b)
local x = a == nil local y = not (x and b) print(x, y, x == y, (x == y) == true)
print(1 < 2 == true, "a" .. "b" == "ab", -2 ^ 2, 2 ^ 3 ^ 2, -3 % 5, 5 % -3, 5.5 % 2, -5.5 % 2, 1 .. 2)
print(2 + 3 * 4 - 5 / 2, (2 + 3) * 4, 7 % 3 * 2, 2 ^ -1, not 1 == 2)
-- # assignment
local a, b, c = 1, 2 print(a, b, c)
a, b = b, a print(a, b)
a, b, c = (function() return 1, 2, 3 end)() print(a, b, c)
a, b, c = (function() return 1, 2, 3 end)(), 10 print(a, b, c)
a, b = 1, 2, 3 print(a, b)
local t = {} t.x, t.y = 1, 2 print(t.x, t.y)
local i = 1 i, t[i] = i + 1, 20 print(i, t[1], t[2])
local q = {} q.a, q.b, q.c = (function() return 1, 2 end)() print(q.a, q.b, q.c)
local a = {} local b = a a.x, a = 1, nil print(b.x, a)
do local a = 5 print(a) end
x, y = 1 print(x, y) x = nil
local r = {(function() return 1, 2, 3 end)(), (function() return 1, 2, 3 end)()} print(#r)
local s = {((function() return 1, 2, 3 end)())} print(#s)
-- # control
for i = 1, 3 do if i == 1 then print("one") elseif i == 2 then print("two") else print("other") end end
local i = 0 while i < 3 do i = i + 1 if i == 2 then break end end print(i)
repeat local done = i > 5 i = i + 1 until done print(i)
for k, v in next, {10, 20} do print(k, v) end
for i = 3, 1, -1 do for j = 1, i do if j == 2 then break end print(i, j) end end
local n = 0 while true do n = n + 1 if n > 10 then break end end print(n)
local fs = {} for i = 1, 3 do local j = i * 10 fs[#fs + 1] = function() j = j + 1 return i, j end end
print(fs[1]()) print(fs[1]()) print(fs[2]()) print(fs[3]())
local k = 1 local gs = {} while k <= 3 do local z = k gs[k] = function() z = z + 1 return z end k = k + 1 end
print(gs[1](), gs[1](), gs[2](), gs[3]())
local hs = {} repeat local z = #hs hs[#hs + 1] = function() z = z + 1 return z end until z >= 2 or #hs > 5
print(#hs, hs[1](), hs[1](), hs[3]())
local ws = {} for _, v in ipairs {1, 2, 3, 4} do local w = v if w == 3 then break end ws[#ws + 1] = function() w = w * 2 return w end end
print(#ws, ws[1](), ws[1](), ws[2]())
-- # functions
local function v(...) return select("#", ...), ... end
print(v()) print(v(nil)) print(v(1, nil, 3)) print((v(1, 2)))
local function w(a, ...) local b, c = ... return a, b, c end print(w(1)) print(w(1, 2, 3, 4))
local function tail(n, acc) if n == 0 then return acc end return tail(n - 1, acc + n) end print(tail(20000, 0))
local function fixed(a, b, c) return a, b, c end print(fixed(1)) print(fixed(1, 2, 3, 4))
print((function(...) return ... end)(1, 2, 3)) print(((function(...) return ... end)(1, 2, 3)))
local t = {f = function(self, x) return self.n + x end, n = 5} print(t:f(10), t.f(t, 1))
function t.g(x) return x end function t:h(x) return self.n, x end print(t.g(1), t:h(2))
local o = {p = {q = {}}} function o.p.q.r() return "deep" end function o.p.q:s() return self == o.p.q end print(o.p.q.r(), o.p.q:s())
local function old(...) return arg end print(old(1) == nil)
function usesarg(...) return arg.n, arg[1], arg[2] end print(usesarg(5, 6))
function both(...) local x = ... return arg end print(both(1))
print(select(2, "a", "b", "c")) print(select(-1, "a", "b", "c")) print(select("#")) print(select(2, "a"))
print(unpack({1, 2, 3})) print(unpack({1, 2, 3}, 2)) print(unpack({1, 2, 3}, 2, 3)) print(unpack({}, 1, 3))
local big = {} for i = 1, 200 do big[i] = i end print(select("#", unpack(big)), (select(200, unpack(big))))
local function count(...) local n = 0 for _ in pairs({...}) do n = n + 1 end return n end print(count(unpack(big)))
print((loadstring("return ...")(1, 2)))
print(f"string" == nil, type{} ) 
-- # strings
print('single', "double", [[long]], [==[with ]] inside]==], "esc\t\"\\\65\066\n.", 'a\
b')
print([[
first newline dropped]], "\0" == "\000", #"a\0b", "\z" == "z", "tab\tend")
print("a" .. 1 .. 2.5 .. "b", 1 .. "", -1 .. "x", 1e100 .. "")
print(#"", #"abc")
-- # tables
local t = {1, 2, 3, [10] = 10, x = "y", ["a b"] = 1; 4, nil, 6}
print(#t == 4 or #t == 6, t[10], t.x, t["a b"], t[6])
t[#t + 1] = "end" t.x = nil print(t.x) t[1.0] = "one" print(t[1], t["1"])
t[2^53] = "big" print(t[2^53]) t[-1] = "neg" t[0] = "zero" print(t[-1], t[0]) t[1.5] = "frac" print(t[1.5], t[1])
t[true] = 1 t[print] = 2 t[t] = 3 print(t[true], t[print], t[t], t[false])
local n = {} for i = 1, 100 do n[i] = i end for i = 100, 51, -1 do n[i] = nil end print(#n)
for i = 1, 50 do n[i] = nil end print(#n, next(n))
local s = {} for i = 1, 20 do s[i] = i end local keys = 0 for k in pairs(s) do keys = keys + k s[k] = nil end print(keys, next(s))
local h = {} for i = 1, 1000 do h["k" .. i] = i end local sum = 0 for k, v in pairs(h) do sum = sum + v h[k] = nil end print(sum, next(h))
local e = {n = 1, n = 2} print(e.n) print(#{n = 1}, #{1, 2, nil}, #{nil}, #{nil, 2})
local l = {} l[1] = 1 l[2] = 2 l[4] = 4 print(#l == 2 or #l == 4) local m = {[1] = 1, [2] = 2, [3] = 3} print(#m)
print(next({}), next({5}), rawequal("a", "a"), rawequal({}, {}), rawget({x = 1}, "x"), #rawset({}, 1, 2))
local c = {} for i = 1, 60 do c[i] = i end print(#{unpack(c)}, ({unpack(c)})[60])
local big = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53}
print(#big, big[51], big[53])
for i, v in ipairs({1, 2, nil, 4}) do io = nil print(i, v) end
-- # borders
local function fill(...) local t = {} for _, i in ipairs {...} do t[i] = i end return #t end
print(fill(1, 2, 3), fill(3, 2, 1), fill(1, 3), fill(2), fill(1, 2, 4), fill(4, 3, 2, 1), fill(1, 2, 3, 5, 8), fill(1, 2, 4, 8, 16))
local t = {} for i = 1, 16 do t[i] = i end t[8] = nil print(#t) t[16] = nil print(#t) t[12] = nil print(#t)
for i = 16, 2, -1 do t[i] = nil end print(#t)
print(#{1, nil, 3}, #{1, nil, 3, nil}, #{nil, nil, 3}, #{1, 2, 3, nil, 5, nil}, #{1, 2, 3, nil, nil})
local u = {1, 2, 3, 4, 5} u[3] = nil u[5] = nil print(#u) u[6] = 6 print(#u) u[7] = 7 print(#u)
local v = {n = 1} for i = 1, 10 do v[i] = i end v[5] = nil v[10] = nil print(#v)
-- # environments
local f = loadstring("x = 1 return x, y") print(f())
local env = {y = 5} setfenv(f, env) print(f()) print(env.x, getfenv(f) == env, getfenv(1) == getfenv())
local function g() setfenv(1, {print = print}) return z end print(g())
local function h() return a end setfenv(h, setmetatable({}, {__index = function(_, k) return k .. "!" end})) print(h())
setfenv(h, setmetatable({}, {__index = {a = 7}})) print(h()) print(getfenv(print) == _G or true)
local e = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 2) end})
local w = loadstring("q = 21 return q") setfenv(w, e) print(w())
local function level2() return getfenv(2) end local function caller() return level2() == getfenv(1) end print(pcall(caller))
local function nested() return function() return inner end end setfenv(nested, {inner = 9}) print(nested()())
print(pcall(setfenv, 1, {})) print(setfenv(0, getfenv(0)))
-- # loading
print(loadstring("return 1 + 1")()) print(loadstring("x =")) print(loadstring("return", "=name")) print(loadstring("x y", "=name"))
print(loadstring("x y", "@file.lua")) print(loadstring("x y", "line one\nline two"))
local parts = {"return ", "1", " + 2"} local i = 0 print(load(function() i = i + 1 return parts[i] end)())
print(load(function() return nil end)) print(load(function() return {} end))
print(pcall(load, function() error("reader") end)) print(loadstring("\27Lua") == nil)
print(loadstring("#!shebang\nreturn 5")) print(pcall(loadstring("local t = nil; t.x = 1", "=chunk")))
print(pcall(loadstring("error('m')", "=(load)"))) print(pcall(loadstring("error('m')", "code text here")))
print(pcall(loadstring("\n\nerror('m')", "code\nsecond"))) print(pcall(loadstring("error('m')", "@" .. "a/very/long/path/that/goes/on/and/on/until/it/is/longer/than/sixty/characters.lua")))
print(pcall(loadstring("error('m')", "a very long text that goes on and on until it is longer than the sixty characters")))
print(pcall(loadstring("error('m')", "=" .. "a/very/long/path/that/goes/on/and/on/until/it/is/longer/than/sixty/characters.lua")))
