-- Patterns: what a script can see of them.
local function show(...)
  local parts = {}
  for i = 1, select("#", ...) do parts[i] = tostring((select(i, ...))) end
  print(table.concat(parts, "|"))
end
show(("hello world"):find("o w"))
show(("hello world"):find("(o)(.)(w)"))
show(("hello"):find("", 10), ("hello"):find("", 6), ("hello"):find("", -3))
show(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
show(("  trim  "):match("^%s*(.-)%s*$") .. ".")
show(("THE (quick) fox"):find("%((%a+)%)"))
show(("f(a(b)c)d"):match("%b()"))
show(("THE (quick) fox"):gsub("%f[%a]%a+", string.lower))
show(("abc"):gsub("", "-"))
show(("abc"):gsub(".", {a = 1, b = "B", c = false}))
show(("abc"):gsub("%w", "%0%0", 2))
show(("hello world from lua"):gsub("(%w+) (%w+)", "%2 %1"))
show(("x"):rep(3, ","), ("ab"):rep(0), ("ab"):rep(-1))
show(("a,b,,c"):gsub(",", ";"))
show(string.gsub("abc", "b", "%%"))
show(pcall(string.gsub, "abc", "b", "%2"))
show(pcall(string.gsub, "abc", "(b", "x"))
show(pcall(string.gsub, "abc", "b)", "x"))
show(pcall(string.find, "a", "[a"))
show(pcall(string.find, "a", "%"))
show(pcall(string.find, "a", "a", {}))
show(pcall(string.rep))
show(pcall(("x").rep, "x", {}))
show(pcall(function() return ("x"):rep({}) end))
show(pcall(function() return ("x"):bad() end))
show(type(select(2, pcall(function() return string.gsub("x", "x", function() error({}) end) end))))
show(pcall(function() return string.gsub("x", "x", function() error("deep", 0) end) end))
show(pcall(function() return string.gsub("x", "x", function() return {} end) end))
show(pcall(string.gsub, "x", "x", function() return {} end))
for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do show(k, v) end
for w in ("one two"):gmatch("%a+") do show(w) end
for p in ("abc"):gmatch("()") do show(p) end
show(("x^y"):gmatch("^x")())
show(string.format("%5.1f|%-5d|%05d|%+d|%x|%X|%o|%e|%g|%q|%s|%c%c", 3.14159, 42, 42, 42, 255, 255, 8, 1e10, 1e20,
  'a "q"\n\\', "s", 76, 117))
show(pcall(string.format, "%d", "x"))
show(pcall(string.format, "%d"))
show(pcall(string.format, "%y", 1))
show(pcall(string.format, "%0123d", 1))
show(string.byte("abc", 1, -1), string.char(), string.char(65, 66))
show(("abc"):len(), #"abc", ("abc"):upper(), ("ABC"):lower(), ("abc"):reverse())
-- A replacement that matches itself: nested calls each have their captures.
show(("a1b2"):gsub("(%a)(%d)", function(a, d) return (a .. d):gsub("%d", function(x) return x + 1 end) .. a end))
