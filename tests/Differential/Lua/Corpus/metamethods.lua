-- # arithmetic
local log = {}
local mt = {}
local function name(v) return type(v) == "table" and v.name or tostring(v) end
for _, op in ipairs {"add", "sub", "mul", "div", "mod", "pow", "concat"} do
  mt["__" .. op] = function(a, b) return op .. "(" .. name(a) .. "," .. name(b) .. ")" end
end
mt.__unm = function(a, b) return "unm(" .. name(a) .. "," .. name(b) .. ")" end
mt.__len = function(a) return 99 end
local a, b = setmetatable({name = "a"}, mt), setmetatable({name = "b"}, mt)
print(a + b, a + 1, 1 + a, "x" + a, a - b, 2 - a, a * 3, 3 * a, a / 2, 2 / a, a % 2, 2 % a, a ^ 2, 2 ^ a, -a)
print(a .. b, a .. "x", "x" .. a, 1 .. a, a .. 1, "x" .. "y" .. a, a .. "x" .. "y", "x" .. a .. "y", nil == a)
print(#a, #setmetatable({1, 2}, mt))
print(pcall(function() return a + nil end)) print(pcall(function() return {} + a end))
-- # comparison
local mt = {__eq = function(a, b) return a.v == b.v end, __lt = function(a, b) return a.v < b.v end}
local function new(v, m) return setmetatable({v = v}, m or mt) end
print(new(1) == new(1), new(1) == new(2), new(1) ~= new(1), new(1) < new(2), new(1) <= new(2), new(2) > new(1), new(2) >= new(2))
mt.__le = function(a, b) return "le" end print(new(1) <= new(0), new(1) >= new(5))
local other = {__eq = mt.__eq, __lt = function() return true end}
print(new(1) == new(1, other), new(1, {}) == new(1), pcall(function() return new(1) < new(1, other) end))
print(new(1) == 1, new(1) == "x", rawequal(new(1), new(1)))
print(pcall(function() return new(1) < 1 end)) print(pcall(function() return new(1, {}) < new(2, {}) end))
print(setmetatable({}, {__eq = function() return 5 end}) == setmetatable({}, {__eq = function() return 5 end}))
-- # index
local t = setmetatable({x = 1}, {__index = function(t, k) return k .. "?" end}) print(t.x, t.y, t[1], rawget(t, "y"))
local base = {a = 1, b = {c = 2}} local d = setmetatable({}, {__index = setmetatable({z = 26}, {__index = base})})
print(d.a, d.b.c, d.z, d.none) d.a = 5 print(d.a, base.a)
local log = {} local n = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v + 1) end}) n.x = 1 print(n.x) n.x = 1 print(n.x)
local sink = {} local p = setmetatable({}, {__newindex = sink}) p.x = 1 print(rawget(p, "x"), sink.x)
local ro = setmetatable({}, {__newindex = function() error("read-only") end}) print(pcall(function() ro.x = 1 end))
local ro2 = setmetatable({}, {__newindex = function() error("read-only", 2) end}) print(pcall(function() ro2.x = 1 end))
local m = setmetatable({}, {__index = function() return 1, 2, 3 end}) print(m.x)
for i, v in ipairs(setmetatable({}, {__index = function(t, k) if k < 3 then return k end end})) do print(i, v) end print("no index in ipairs")
print(pcall(next, setmetatable({}, {__index = {1}})))
local C = {} C.__index = C function C.new(v) return setmetatable({v = v}, C) end function C:get() return self.v end
local D = setmetatable({}, {__index = C}) D.__index = D function D.new(v) local o = C.new(v) return setmetatable(o, D) end function D:twice() return self:get() * 2 end
print(C.new(5):get(), D.new(7):get(), D.new(7):twice(), pcall(function() return C.new(1):twice() end))
-- # call
local f = setmetatable({}, {__call = function(self, ...) return select("#", ...), ... end}) print(f()) print(f(1, 2)) print((f(1)))
local function tail() return f(1, 2, 3) end print(tail()) print(pcall(f, 1)) print(pcall(setmetatable({}, {__call = f}), 1))
for i in setmetatable({}, {__call = function(_, s, c) if (c or 0) < 3 then return (c or 0) + 1 end end}) do print(i) end
print(select("#", f(unpack({1, 2, 3}))))
-- # others
print(tostring(setmetatable({}, {__tostring = function() return "shown" end})), getmetatable(setmetatable({}, {__metatable = "locked"})))
print(pcall(setmetatable, setmetatable({}, {__metatable = 1}), {})) print(getmetatable({}), getmetatable(1))
local p = newproxy(true) getmetatable(p).__index = function(_, k) return k end getmetatable(p).__len = function() return 42 end getmetatable(p).__call = function(_, x) return x end
print(p.hello, #p, p(5), type(p), type(newproxy()), getmetatable(newproxy()) == nil, getmetatable(newproxy(p)) == getmetatable(p))
print(pcall(function() return newproxy().x end)) print(pcall(function() return #newproxy() end)) print(pcall(newproxy, newproxy()))
local u, w = newproxy(true), newproxy(true) getmetatable(u).__eq = function() return true end getmetatable(w).__eq = getmetatable(u).__eq print(u == w, u == u, u ~= w)
local weak = setmetatable({}, {__mode = "k"}) weak[{}] = 1 collectgarbage() print(next(weak))
local wv = setmetatable({}, {__mode = "v"}) wv[1] = {} wv[2] = "s" wv.x = 5 collectgarbage() print(wv[1], wv[2], wv.x)
local absent = {} local obj = setmetatable({}, absent) print(obj.x) absent.__index = function() return "now" end print(obj.x) absent.__index = nil print(obj.x)
-- # changes
local mt = {} local t = setmetatable({}, mt) print(pcall(function() return t + 1 end)) mt.__add = function() return "added" end print(t + 1) mt.__add = nil print(pcall(function() return t + 1 end))
rawset(mt, "__add", function() return "raw" end) print(t + 1)
