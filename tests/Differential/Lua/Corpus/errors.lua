-- # index
for _, f in ipairs {
  function() local a; return a.b end,
  function() local a; a.b = 1 end,
  function() return undefinedglobal.x end,
  function() undefinedglobal.x = 1 end,
  function() return _G.foo.bar end,
  function() local t = {} return t.x.y end,
  function() local t = {} t.x.y = 1 end,
  function() local t = {} return t[1][2] end,
  function() local t = {} local k = "k" return t[k].z end,
  function() return (1)[2] end,
  function() return (true).y.z end,
  function() return (nil).x end,
  function() local a = true return a.x end,
  function() local t = {} t[nil] = 1 end,
  function() local t = {} t[0/0] = 1 end,
  function() rawset({}, nil, 1) end,
  function() return #nil end,
  function() local n = 5 return #n end,
  function() return #undefinedglobal end,
  function() local t = {} return #t.x end,
  function() local t = setmetatable({}, {__index = 5}) return t.x end,
  function() local t = setmetatable({}, {__newindex = true}) t.x = 1 end,
} do print(_, pcall(f)) end
-- # upvalues
local up
local tab = {}
for _, f in ipairs {
  function() return up.x end,
  function() up.x = 1 end,
  function() up() end,
  function() return up + 1 end,
  function() return up .. "x" end,
  function() return -up end,
  function() return #up end,
  function() return tab.x.y end,
  function() tab.x() end,
  function() tab:x() end,
  function() return tab.a.b.c end,
  function() return tab < 1 end,
  function() return function() return up.y end end,
} do print(_, pcall(f)) end
-- # calls
local s = "text"
for _, f in ipairs {
  function() undefinedglobal() end,
  function() local a; a() end,
  function() local a = 5 a() end,
  function() s() end,
  function() local t = {} t.x() end,
  function() local t = {} t:x() end,
  function() local t = {x = {}} t.x.y() end,
  function() local t = {x = {}} t.x:y() end,
  function() local t = {} t[1]() end,
  function() (nil)() end,
  function() (1)() end,
  function() ({})() end,
  function() (function() return nil end)()() end,
  function() return undefinedglobal() end,
  function() local t = {} return t.x() end,
  function() local a return a() end,
  function() for i in 5 do end end,
  function() for i in nil do end end,
  function() for i in {} do end end,
  function() local a; for i in a do end end,
  function() return (undefinedglobal or nil)() end,
  function() local t = setmetatable({}, {__call = 5}) t() end,
} do print(_, pcall(f)) end
-- # arithmetic
local t = {}
for _, f in ipairs {
  function() return 1 + nil end,
  function() return nil + 1 end,
  function() local a = {} return a + 1 end,
  function() local a = {} return 1 + a end,
  function() local a, b = {}, nil return a + b end,
  function() return "abc" + 1 end,
  function() return 1 + "abc" end,
  function() local a = "abc" return a * 2 end,
  function() return t.x - 1 end,
  function() return 2 - t.x end,
  function() return t.x / t.y end,
  function() return gx % 2 end,
  function() return gx ^ 2 end,
  function() return -{} end,
  function() return -t end,
  function() return -gx end,
  function() return -"abc" end,
  function() local a = true return a + a end,
  function() return print + 1 end,
  function() return t.a.b + 1 end,
  function() return t[1] + 1 end,
  function() return 2 ^ {} end,
  function() return "10" + 5, "0x10" * 2, " 5 " - 1, -"3", "1e1" / 2 end,
} do print(_, pcall(f)) end
-- # concatenation
local t = {}
for _, f in ipairs {
  function() return "a" .. nil end,
  function() return nil .. "a" end,
  function() return "a" .. {} end,
  function() return {} .. "a" end,
  function() return "a" .. "b" .. nil end,
  function() return "a" .. nil .. "b" end,
  function() return nil .. "a" .. "b" end,
  function() return t.x .. "a" end,
  function() return "a" .. t.x end,
  function() local a return "x" .. a .. "y" end,
  function() local a return a .. "y" end,
  function() return gx .. "y" end,
  function() return "x" .. gx end,
  function() return 1 .. true end,
  function() return true .. 1 end,
  function() return 1 .. 2, 1.5 .. "x", -0 .. "" end,
  function() return print .. "x" end,
} do print(_, (pcall(f))) print(select(2, pcall(f))) end
-- # comparison
local t, u = {}, {}
for _, f in ipairs {
  function() return 1 < "2" end,
  function() return "2" < 1 end,
  function() return {} < {} end,
  function() return nil < 1 end,
  function() return 1 < nil end,
  function() return 1 > nil end,
  function() return nil > nil end,
  function() return nil <= 1 end,
  function() return 1 >= {} end,
  function() return true < false end,
  function() return print < print end,
  function() return t < u end,
  function() return t <= 5 end,
  function() return t > 5 end,
  function() return "a" < "b", "a" < "A", "" < "a", "a" < "ab", "Z" < "a", "a\0b" < "a\0c" end,
  function() return 1 < 2, 2 <= 2, 3 > 4, 4 >= 4, 0/0 < 0/0, 0/0 ~= 0/0, 0/0 == 0/0 end,
  function() return 1 == "1", nil == false, {} == {}, "a" == "a", t == t end,
  function() return coroutine.create(function() end) < 1 end,
} do print(_, pcall(f)) end
-- # for
for _, f in ipairs {
  function() for i = nil, 1 do end end,
  function() for i = 1, nil do end end,
  function() for i = 1, 2, nil do end end,
  function() for i = "x", 1 do end end,
  function() for i = 1, {} do end end,
  function() for i = "1", "3", "2" do print(i, type(i)) end end,
  function() local n = 0 for i = 1, 3 do local j = i i = 10 n = n + j end return n end,
  function() local n = 0 for i = 3, 1 do n = n + 1 end return n end,
  function() local n = 0 for i = 1, 0/0 do n = n + 1 end return n end,
  function() local n = 0 for i = 0/0, 1 do n = n + 1 end return n end,
  function() local r = "" for i = 1, 2, 0.25 do r = r .. i .. " " end return r end,
  function() local r = "" for i = 0.1, 0.5, 0.1 do r = r .. i .. " " end return r end,
  function() local r = "" for i = 5, 1, -1.5 do r = r .. i .. " " end return r end,
  function() local n = 0 for i = 1, 1/0 do n = n + 1 if n > 5 then break end end return n end,
} do print(_, pcall(f)) end
-- # arguments
for _, f in ipairs {
  function() setmetatable(1, {}) end,
  function() setmetatable({}) end,
  function() setmetatable({}, 1) end,
  function() getmetatable() end,
  function() rawget(1) end,
  function() rawget({}) end,
  function() rawset({}, 1) end,
  function() rawequal(1) end,
  function() tostring() end,
  function() tonumber() end,
  function() tonumber("1", 1) end,
  function() tonumber("1", 99) end,
  function() tonumber({}, 10) end,
  function() tonumber({}, 16) end,
  function() type() end,
  function() ipairs() end,
  function() ipairs(1) end,
  function() pairs(nil) end,
  function() next(1) end,
  function() next({}, "x") end,
  function() select() end,
  function() select(0) end,
  function() select(-5, 1) end,
  function() select("x") end,
  function() unpack() end,
  function() unpack({}, 1, 1e8) end,
  function() unpack({}, 1, "x") end,
  function() pcall() end,
  function() xpcall() end,
  function() xpcall(print) end,
  function() assert() end,
  function() assert(nil) end,
  function() assert(false, "message") end,
  function() assert(false, {}) end,
  function() assert(nil, 5) end,
  function() error() end,
  function() error(nil) end,
  function() error("m", "x") end,
  function() error(5) end,
  function() error(true) end,
  function() collectgarbage("x") end,
  function() collectgarbage({}) end,
  function() loadstring() end,
  function() load("x") end,
  function() load(5) end,
  function() getfenv("x") end,
  function() getfenv(-1) end,
  function() getfenv(100) end,
  function() setfenv(1) end,
  function() setfenv(1, 2) end,
  function() setfenv(print, {}) end,
  function() setfenv(100, {}) end,
  function() newproxy(5) end,
  function() coroutine.create() end,
  function() coroutine.create(print) end,
  function() coroutine.resume(1) end,
  function() coroutine.status() end,
  function() coroutine.wrap(1) end,
  function() coroutine.yield() end,
  function() local r = rawget r() end,
  function() local t = {f = rawget} t.f() end,
  function() local t = {f = rawget} t:f() end,
  function() local t = {f = rawset} t:f() end,
  function() return tostring() end,
  function() setmetatable(setmetatable({}, {__metatable = 1}), {}) end,
} do print(_, pcall(f)) end
print(pcall(rawget)) print(pcall(setmetatable, 1)) print(pcall(pcall)) print(pcall(error))
-- # positions
local function thrower(level) error("here", level) end
local function outer(level) thrower(level) end
for level = 0, 4 do print(pcall(outer, level)) end
local function tail(level) return thrower(level) end
for level = 0, 4 do print(pcall(tail, level)) end
print(pcall(function()
  local a = 1

  local b = a
    + nil
end))
print(pcall(function()
  local t = {}
  return t.a
    .b
end))
print(pcall(function()
  undefinedglobal(
    1,
    2
  )
end))
print(pcall(function()
  local x = {
    1,
    2,
    nil .. "x",
  }
end))
print(pcall(function() error("x\ny") end))
print(pcall(error, "m", 1)) print(pcall(error, "m", 2)) print(pcall(error, "m", 3))
-- # handlers
print(xpcall(function() error("x") end, function(m) return "H:" .. m end))
print(xpcall(function() error({}) end, function(m) return type(m) end))
print(xpcall(function() error("x") end, function(m) error("y") end))
print(xpcall(function() error("x") end, nil))
print(xpcall(function() error("x") end, 5))
print(xpcall(function() local a = nil + 1 end, function(m) return m, 2 end))
print(xpcall(function(...) return select("#", ...), 2, 3 end, print))
print(xpcall(function() return coroutine.yield() end, function(m) return "H:" .. m end))
print(pcall(pcall)) print(pcall(pcall, error, "x")) print(pcall(pcall, pcall, error))
print(select("#", pcall(function() return nil, nil end)))
print(pcall(function() local t = setmetatable({}, {__tostring = function() return 5 end}) return tostring(t) end))
print(pcall(function() local t = setmetatable({}, {__tostring = function() error("in") end}) return tostring(t) end))
print(pcall(function() print(setmetatable({}, {__tostring = function() return {} end})) end))
-- # overflow
local depth = 0
local function f() depth = depth + 1 return 1 + f() end
local ok, message = pcall(f)
print(ok, message, depth > 10000)
local function g() return g() end
local t = setmetatable({}, {})
getmetatable(t).__index = function(t, k) return t[k .. "x"] end
print(pcall(function() return t.x end))
local loop = setmetatable({}, {}) getmetatable(loop).__index = loop
print(pcall(function() return loop.x end))
getmetatable(loop).__newindex = loop
print(pcall(function() loop.x = 1 end))
