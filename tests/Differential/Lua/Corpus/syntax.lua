-- # messages
for _, source in ipairs {
  "x", "x y", "x =", "= 1", "x = = 1", "1", "local", "local 1", "local x y", "local function", "local function 1", "function", "function f", "function f(", "function f(x", "function f(x) end end",
  "function f(x,) end", "function f(..., x) end", "function f(1) end", "if", "if x", "if x then", "if x then else", "if x then elseif", "if x then else else end", "while", "while x", "while x do",
  "for", "for x", "for x =", "for x = 1", "for x = 1,", "for x = 1, 2", "for x = 1, 2, 3, 4 do end", "for x, y = 1, 2 do end", "for x in", "for 1 in x do end", "for x in y", "repeat", "repeat until", "repeat x",
  "do", "do end end", "return return", "return 1 2", "return 1; x = 1", "break", "break; x = 1", "while true do break x = 1 end", "for i = 1, 2 do function f() break end end",
  "x = {", "x = {1", "x = {1,", "x = {1 2}", "x = {[1}", "x = {[1] 2}", "x = {x = }", "x = {,}", "x = (1", "x = (1))", "x = )", "x = ]", "f(", "f(1", "f(1,", "f(1,)", "f 1", "f:", "f:x", "f:x y", "f:1()", "x.", "x.1", "x[", "x[1", "x[]",
  "x = 1 +", "x = 1 + + 2", "x = not", "x = #", "x = -", "x = 1 .. ", "x = a and", "x = ..", "x = ...; function f() return ... end", "x, y", "x, y = ", "x, 1 = 2", "f() = 1", "(x) = 1", "x:y() = 1", "(f)", "x.y", "x + 1", "'x'", "f{", "'x':y()",
  "x = 'abc", "x = 'abc\ndef'", "x = \"abc", "x = [[abc", "x = [==[abc]]", "x = [=abc", "--[[ unfinished", "--[==[ unfinished ]]", "x = '\\300'", "x = '\\", "x = [[a [[b]] c]]", "x = 1e", "x = 1.2.3", "x = 0x", "x = 3x", "x = 1..2", "x = 08a", "x = 0xfg",
  "x = @", "x = $", "x = `", "x = !", "x = a ! b", "x ~ y", "x = a ~ b", "x = 1 & 2", "\1", "x = \127", "goto x", "x = y:z", "::x::", "x = function", "x = function(", "x = function() ", "x\n=\n\n+", "x = {\n1,\n2\n", "if x then\n\n\n", "f(\n1\n", "x = f\n(1)", "f\n(1)", "x = function()\n\nend end",
  "and", "end", "then", "until", "else", "elseif", "in", "nil", "nil = 1", "true = 1", "x.nil = 1", "x.end = 1", "local nil", "local x.y", "local x = ", "local x, = 1", "a.b:c = 1", "a.b:c.d = 1", "return function() end end", "x = 'a' 'b'", "x = 5 6", "x = {} {}", "f() g() = 1",
} do print(_, loadstring(source, "=s")) end
-- # limits
local function rep(s, n) local r = {} local t = "" for i = 1, n do t = t .. s end return t end
print(loadstring("return " .. rep("(", 300) .. "1" .. rep(")", 300), "=s"))
print(loadstring(rep("do ", 300) .. rep("end ", 300), "=s"))
print(loadstring("x = " .. rep("{", 300) .. rep("}", 300), "=s"))
print(loadstring("return " .. rep("-", 0) .. rep("not ", 300) .. "1", "=s"))
print(loadstring(rep("function f() ", 300) .. rep("end ", 300), "=s"))
print(loadstring("local a" .. rep(", a", 250), "=s"))
print(loadstring("function f() local a" .. rep(", a", 250) .. " end", "=s"))
print(loadstring("\n\nfunction f()\n" .. rep("local a ", 250) .. " end", "=s"))
print(loadstring("x = " .. rep("a .. ", 300) .. "a", "=s"))
print(loadstring("f(" .. rep("a, ", 300) .. "a)", "=s"))
print(#loadstring("return {" .. rep("1, ", 300) .. "}", "=s")())
print(loadstring("return 1" .. rep(" + 1", 2000), "=s")()) print(loadstring("local x = 1 return x" .. rep(" + x", 2000), "=s")())
print(loadstring("local t = {} t.t = t return t" .. rep(".t", 2000) .. " == t", "=s")())
local many = "" for i = 1, 70 do many = many .. "local a" .. i .. " = " .. i .. " " end many = many .. "return function() return a1" for i = 2, 70 do many = many .. " + a" .. i end print(loadstring(many .. " end", "=s"))
print(loadstring("if x then y() " .. rep("elseif x then y() ", 500) .. "end", "=s") ~= nil)
-- # accepted
for _, source in ipairs {"", ";", "x = 1;", "x = 1; y = 2;", "return", "return;", "return 1;", "do return end", "local x <const> = 1", "local function f() end", "f{}", "f''", "f[[]]", "f{}.x = 1", "f():g():h()", "a.b.c:d(1)(2)[3].e = 5", "local a = {f = function() end; 1, 2,}", "x = #'abc'", "x = - - 1", "x = not not x", "-- comment", "--[[ long ]] x = 1", "--[==[ long\n ]] ]==] x = 1", "#!/usr/bin/lua\nx = 1", "x = a.b['c'].d[1][f()]", "for i = 1, 2 do break end", "while x do break; end", "repeat local x = 1 until x", "local _ENV = 1", "goto = 1", "x = 0xA.8p1", "x=1--[[]]y=2", "a=1 b=2 c=3", "local a<b = 1"} do print(_, type(loadstring(source, "=s")), (select(2, loadstring(source, "=s")))) end
