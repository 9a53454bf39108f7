-- # text
print(0, -0, 1, -1, 0.1, 0.5, 1/3, 2/3, 100, 1e3, 1e14, 1e15, 1e16, 123456789012345, 12345678901234567890, 1e100, 1e-4, 1e-5, 1.5e-10, 1e308, 1e-308, 5e-324, 2^53, 2^63, -2^63, 1/0, -1/0)
print(0/0, -(0/0), 3.14159265358979, 99999999999999, 999999999999999, 0.1 + 0.2, 1e21, 123.456, 1e2, 1.10, 100.0, 1e+5, 3e0)
for i = -10, 20 do print(10 ^ i, 1.23456789012345 * 10 ^ i, -(7 / 3) * 10 ^ i) end
local x = 1 for i = 1, 60 do x = x * 1.7 print(x, 1 / x, x .. "") end
print(0x10, 0xff, 0XFF, 0xffffffff, 1e1, 1E1, .5, 5., 3e-2, 0x1p4, 08)
print(0, -0) local z = 0 print(-z, 0 * -1, z == -z, 1 / -z)
-- # conversion
for _, s in ipairs {"10", " 10 ", "10x", "0x10", "0X1f", "-0x10", "1e1", "1e+1", "1e", "e1", ".5", "5.", ".", "", " ", "- 1", "--1", "+1", "1 1", "inf", "-inf", "nan", "Infinity", "infinit", "0x", "0x1p4", "0x.8", "0x1.8p1", "1_000", "1,5", "\t1\n", "1e400", "-1e400", "1e-400", "00012", "0b1", "1f", "1d", "0x1g", "nan(1)", "9007199254740993", "123456789012345678901234567890", "0.1e1e1", "1e1.5"} do print(s, tonumber(s)) end
for _, s in ipairs {{"z", 36}, {"Z", 36}, {"10", 2}, {"12", 2}, {"ff", 16}, {"0xff", 16}, {"-ff", 16}, {" 11 ", 2}, {"8", 8}, {"7", 8}, {"", 10}, {"", 16}, {"1.5", 16}, {"99999999999999999999", 16}, {"zz", 35}, {10, 16}, {"1e1", 10}, {"1e1", 16}} do print(s[1], s[2], tonumber(s[1], s[2])) end
print(tonumber(nil), tonumber(true), tonumber({}), tonumber(5), tonumber("5") + 1, 10 == "10", "10" + 0 == 10)
-- # arithmetic
print(7 % 3, -7 % 3, 7 % -3, -7 % -3, 7.5 % 2, -7.5 % 2, 5 % (1/0), -5 % (1/0), 5 % 0, 0 % 5, 1e15 % 7, 2^53 % 3)
print(7 / 2, 1 / 0, -1 / 0, 2 ^ 0.5, 2 ^ -1, (-2) ^ 2, (-2) ^ 0.5, 0 ^ 0, 10 ^ 2, 1e308 * 10, 2 ^ 1024)
local a, b = 7, 3 print(a + b, a - b, a * b, a / b, a % b, a ^ b, -a, a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a / 2, 2 / a, a % 2, 2 % a, a ^ 2, 2 ^ a)
print(1 < 2, 1 <= 1, a < 8, a > 8, 8 < a, 8 > a, a <= 7, a >= 7, 7 <= a, 7 >= a, a == 7, 7 == a, a ~= 7, 7 ~= a, a == b, a ~= b)
if a < 8 then print("lt") end if a > 8 then print("gt") else print("not gt") end if not (a <= 7) then print("no") else print("le") end if 8 < a then print("no") end while a == 7 do a = 8 end print(a)
local nan = 0/0 print(nan < 1, nan <= 1, nan > 1, 1 < nan, not (nan < 1), nan == nan, nan ~= nan) if nan < 1 then print("no") else print("yes") end if not (nan >= 1) then print("yes") end
