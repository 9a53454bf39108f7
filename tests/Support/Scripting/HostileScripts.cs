namespace Cinnabar.Tests.Support.Scripting;

/// <summary>Scripts that want too much: of memory, of depth, of time, or of the server.</summary>
public static class HostileScripts
{
    private const string Memory = "-ERR not enough memory script: ";
    private const string Line = "-ERR user_script:1: ";
    private const string Readonly = Line + "Attempt to modify a readonly table script: ";

    /// <summary>Those that end by themselves, and what their reply begins with where a script may have
    /// 16 to 64 MB.</summary>
    public static (string Script, string Reply)[] Ending { get; } =
    [
        // Strings.
        ("return #string.rep('x', 1e10)", Memory),
        ("local s = 'x' while true do s = s .. s end", Memory),
        ("while true do pcall(function() local s = 'x' while true do s = s .. s end end) end", Memory),
        ("return ('x'):rep(100000):gsub('.', function() return ('y'):rep(100000) end)", Memory),
        ("return ('x'):rep(100000):gsub('.', ('y'):rep(100000))", Memory),
        ("local t = {} for i = 1, 1000 do t[i] = ('x'):rep(1e5) end return #table.concat(t)", Memory),
        ("local t = {} for i = 1, 1000 do t[i] = '' end return #table.concat(t, ('x'):rep(1e6))", Memory),
        ("return #string.format(('%99s'):rep(1e6), unpack({}, 1, 7000))", Line),
        ("return string.format('%99999999d', 1)", Line + "invalid format (width or precision too"),
        ("local s = ('x'):rep(1e6) return #string.format(('%s'):rep(250), unpack((function() "
            + "local t = {} for i = 1, 250 do t[i] = s end return t end)()))", Memory),
        ("return #string.char(unpack({}, 1, 1e8))", Line + "too many results to unpack"),
        ("return #('x'):rep(1e7):reverse():upper():lower():rep(100)", Memory),
        // Tables.
        ("local t = {} for i = 1, 1e9 do t[i] = i end", Memory),
        ("local t = {} for i = 1, 1e9 do t[tostring(i)] = {} end", Memory),
        ("local t = {} while true do pcall(function() t[#t + 1] = {} end) end", Memory),
        ("local t = {} while true do t = {t} end", Memory),
        ("local t = {} while true do t = setmetatable({}, {__index = t}) end", Memory),
        ("return #{unpack({}, 1, 1e8)}", Line + "too many results to unpack"),
        ("return select('#', unpack({}, 1, 7000))", ":7000"),
        ("local t = {} for i = 1, 2^26, 2 do t[i] = true end return #t", Memory),
        // Coroutines and closures.
        ("local t = {} for i = 1, 1e7 do t[i] = coroutine.create(function() coroutine.yield() end) "
            + "coroutine.resume(t[i]) end", Memory),
        ("local function f() return coroutine.wrap(f)() end return f()", Line),
        ("local f = function() end while true do local g = f f = function() return g end end", Memory),
        ("local c c = coroutine.wrap(function() c() end) c()", Line),
        // Depth.
        ("local function f() return 1 + f() end return f()", Line + "stack overflow script: "),
        ("local function f() return pcall(f) end f() return 1", ":1"),
        ("local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
            "-ERR "),
        ("local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x",
            Line + "loop in gettable script: "),
        ("local t = setmetatable({}, {}) getmetatable(t).__newindex = t t.x = 1",
            Line + "loop in settable script: "),
        ("local t = setmetatable({}, {__tostring = function(t) return tostring(t) end}) return tostring(t)",
            "-ERR "),
        ("local t = setmetatable({}, {__concat = function(a, b) return a .. b end}) return t .. t", "-ERR "),
        ("local t = setmetatable({}, {__eq = function(a, b) return a == b end}) "
            + "return t == setmetatable({}, getmetatable(t))", "-ERR "),
        ("return loadstring('return ' .. ('('):rep(1e5) .. '1' .. (')'):rep(1e5))", "_"),
        ("return loadstring(('do '):rep(1e5) .. (' end'):rep(1e5))", "_"),
        ("return loadstring('return ' .. ('not '):rep(1e5) .. '1')", "_"),
        ("return loadstring('return ' .. ('{'):rep(1e5) .. ('}'):rep(1e5))", "_"),
        ("return loadstring('return ' .. ('1 .. '):rep(1e5) .. '1')", "_"),
        ("return loadstring('return ' .. ('function() return '):rep(1e4) .. '1' .. (' end'):rep(1e4))",
            "_"),
        ("return loadstring('return ' .. ('a.'):rep(1e5) .. 'a')() ", "-ERR "),
        // Order, iteration, patterns.
        ("local t = {} for i = 1, 1e4 do t[i] = i end table.sort(t, function() return true end)",
            Line + "invalid order function for sorting script: "),
        ("local t = {} for i = 1, 1e4 do t[i] = i end "
            + "table.sort(t, function(a, b) t[#t + 1] = 1 return a < b end) return 1", ":1"),
        ("local t = {1, 'a', {}} table.sort(t)", "-ERR attempt to compare "),
        ("local t = {1, 2, 3} for k in pairs(t) do t[k] = nil t[k + 10] = 1 end return 1",
            "-ERR invalid key to 'next' script: "),
        ("return ('a'):find(('('):rep(1000))", Line),
        ("return ('a'):gsub('a', '%9')", Line + "invalid capture index script: "),
        ("return ('a'):find('[a')", Line + "malformed pattern (missing ']') script: "),
        ("return #('x'):rep(3e5):gsub('', ('y'):rep(1000))", Memory),
        // Messages.
        ("local t = {} local x = t for i = 1, 1e5 do x.a = {} x = x.a end return cjson.encode(t)",
            Line + "Cannot serialise, excessive nesting (1001) script: "),
        ("local t = {} t.t = t return cjson.encode(t)",
            Line + "Cannot serialise, excessive nesting (1001) script: "),
        ("return cjson.decode(('['):rep(1e6))",
            Line + "Found too many nested data structures (1001) at character 1001 script: "),
        ("cjson.decode_max_depth(2^30) return cjson.decode(('['):rep(1e6))", Line + "Found too many"),
        ("cjson.encode_max_depth(2^30) local t = {} t.t = t return cjson.encode(t)", Line + "Cannot"),
        ("return cjson.decode('[' .. ('{},'):rep(1e6) .. '{}]')", Memory),
        ("cjson.encode_sparse_array(false, 0, 0) return cjson.encode({[1e9] = 1})", Memory),
        ("cjson.encode_sparse_array(true, 0, 0) return #cjson.encode({[1e9] = 1})", Memory),
        ("return cmsgpack.unpack(('\\145'):rep(1e6))", Line),
        ("return cmsgpack.unpack('\\221\\255\\255\\255\\255')", Line + "Missing bytes in input."),
        ("return cmsgpack.unpack('\\219\\255\\255\\255\\255x')", Line + "Missing bytes in input."),
        ("local t = {} local x = t for i = 1, 1e5 do x.a = {} x = x.a end return #cmsgpack.pack(t)", ":"),
        ("return struct.pack('i99999', 1)", Line),
        ("return #struct.pack(('i8'):rep(1e6), unpack({}, 1, 7000))", Line),
        ("return struct.unpack('c9999999999', 'x')", Line),
        ("return struct.unpack('c0', 'x')", Line),
        ("return struct.unpack('I4', 'abcd', 2^31)", Line),
        ("return bit.lshift(1, 1e300)", ":"),
        // Errors that are objects.
        ("error(setmetatable({}, {__index = function() error('deep') end}))", "-ERR unknown error"),
        ("error(setmetatable({err = 'MINE'}, {__tostring = function() while true do end end}))", "-MINE"),
        ("return tostring(setmetatable({}, {__tostring = function() return {} end}))", "*"),
        ("local e = {} e.err = e error(e)", "-ERR unknown error"),
        ("error()", "-ERR nil script: "),
        ("error(5)", Line + "5 script: "),
        ("error(function() end)", "-ERR function: "),
        ("return xpcall(function() error('a') end, function() error('b') end)", "_"),
        ("return {xpcall(error, error)}", "*"),
        // Replies and calls.
        ("local t = {} t[1] = t return t", "*"),
        ("local t = {} local x = t for i = 1, 1e5 do x[1] = {} x = x[1] end return t", "*"),
        ("local t = {} for i = 1, 100 do t[i] = ('x'):rep(1e6) end return t", Memory),
        ("return redis.call('SET', 'k', ('x'):rep(600 * 1024 * 1024))", Memory),
        ("return redis.call(unpack({}, 1, 7000))", "-ERR "),
        ("return redis.call('SET', {}, {})",
            "-ERR Lua redis lib command arguments must be strings or integers"),
        ("for i = 1, 300 do redis.call('RPUSH', 'many', ('x'):rep(1e5)) end "
            + "local t = {} while true do t[#t + 1] = redis.call('LRANGE', 'many', 0, -1) end", Memory),
        ("return redis.sha1hex(('x'):rep(1e10))", Memory),
        // The sandbox.
        ("setmetatable(_G, nil)", "-ERR Attempt to modify a readonly table script: "),
        ("getmetatable('').__index = nil", Line),
        ("redis.call = nil", Readonly),
        ("string.rep = nil", Readonly),
        ("rawset(_G, 'x', 1)", "-ERR Attempt to modify a readonly table script: "),
        ("x = 1", Readonly),
        ("return x", Line + "Script attempted to access nonexistent global variable 'x' script: "),
        ("return loadstring('\\27Lua')", "_"),
        ("setfenv(1, {})", "-ERR "),
        ("return type(os.exit or io or debug or require or package)", "-ERR "),
    ];

    /// <summary>Those that run until SCRIPT KILL.</summary>
    public static string[] Endless { get; } =
    [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local function f() return f() end f()",
        "local function f(...) return f(1, ...) end return f()",
        "while true do pcall(error, 'x') end",
        "coroutine.wrap(function() while true do coroutine.wrap(function() end)() end end)()",
        "return ('a'):rep(30):find(('a*'):rep(30) .. 'b')",
        "return ('a'):rep(50000):find(('a?'):rep(50000) .. 'b')",
        "return ('a'):rep(3000):gsub(('.-'):rep(9) .. 'b', 'c')",
        "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t, function(a, b) "
            + "return a > b end) end",
        "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
        "for _ in function() return 1 end do end",
        "table.insert({}, -2^31, 1)",
        "while true do redis.call('GET', 'k') end",
        "while true do redis.pcall('NOSUCH') end",
        "while true do cjson.decode(cjson.encode({1, 2, {a = 'b'}})) end",
        "local t = setmetatable({}, {__mode = 'k'}) while true do t[{}] = {t} end",
        "xpcall(error, function() while true do end end)",
        // Each step takes long.
        "local s = ('x'):rep(3e6) while true do local x = s .. 'a' end",
        "local s = ('x'):rep(3e6) while true do local x = s:sub(2) end",
        "local s = ('x'):rep(3e6) local a, b = s .. 'a', s .. 'b' while true do local x = a < b end",
        "local s = ('x'):rep(3e6) local a, b = s .. 'a', s .. 'a' while true do local x = a == b end",
        "local s = ('\"'):rep(1e6) while true do local x = ('%q'):format(s) end",
        "local s = ('0'):rep(3e6) while true do local x = tonumber(s) end",
        "local s = ('0'):rep(3e6) while true do local x = s + 1 end",
        "local s = ('x'):rep(3e6) while true do redis.sha1hex(s) end",
        "local s = ('x'):rep(3e6) while true do redis.call('ECHO', s) end",
        "local s = ('x'):rep(5e5) while true do redis.log(redis.LOG_DEBUG, s) end",
        "local t = {} for i = 1, 7900 do t[i] = i end local function f() return unpack(t) end "
            + "while true do f() end",
        "local t = {} for i = 1, 7900 do t[i] = i end local function g(d) if d == 0 then "
            + "return unpack(t) end return 1, g(d - 1) end while true do g(9000) end",
        "local t = {} for i = 1, 1e5 do t[i] = i end for i = 1, 99999 do t[i] = nil end "
            + "while true do next(t) end",
    ];
}
