using System.Linq;

namespace Cinnabar.Tests.Differential.Scripting;

/// <summary>Sessions with the debugger of scripts.</summary>
internal static class DebuggerSessions
{
    private const string Mixed = """
        local a = 1
        local t = {1,2,'x',{a=1,b={}}, nil, true}
        local s = 'hi\nthere'
        redis.call('set','k','1')
        for i=1,3 do
          a = a + i
        end
        redis.breakpoint()
        redis.debug('dbg',a,t,s)
        local function f(x,y)
          local z = x + y
          return z
        end
        local q = f(a,2)
        return {q,s,false,true,1.5,{err='x'},{ok='y'}}
        """;

    private const string Values = """
        local u = {f=pcall}
        local big, h, i = 1e100, 1/0, 123456789012345
        local nan = 0/0
        local m, m2, m3 = {1,2,3}, {a=1}, {[1]=1,[3]=2}
        local c = {} c.c = c
        local b, n, em, f = true, nil, {}, -1.5
        local st = '\0\1\255"q"\\ \7\8\t'
        local deep = {{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}
        local a, a = 1, 2
        return 1
        """;

    private const string Functions = """
        local function g(n)
          if n == 0 then
            local leaf = 'x'
            return redis.call('incr','cnt')
          end
          local n1 = n - 1
          return g(n1) + 1
        end
        local r = g(3)
        local w = coroutine.wrap(function() local inco = 1
         coroutine.yield(2)
         return 3 end)
        local x = w()
        local y = pcall(function()
          error('inside')
        end)
        redis.pcall('get')
        redis.pcall('lpush','cnt',1)
        local t = {g=function() return 1 end}
        function t.h() return t.g() +
         1 end
        function t:m() local s = self
         return 2 end
        local d, e = t.h(), t:m()
        for x in function(s,i) if i==nil then return 1 end
         return nil end do local q = x end
        return r
        """;

    private const string Flow = """
        local a = 1
        if a == 1 then
          a = 2
        else
          a = 3
        end
        for k,v in pairs({1,2}) do
          a = a + v
        end
        repeat
          local z = a
          a = a - 1
        until z < 4
        while a < 5 do
          a = a + 1
        end
        local t = {
          1,
          x = a,
        }
        local s = "a" ..
          "b" ..
          a
        local function f(...)
          return select("#",
            ...)
        end
        local n = f(1,
          2)
        for i=1,2 do a = a + i end
        local l = loadstring("local a = 1\nreturn a + 1")
        local m = setmetatable({}, {__index = function(t, k)
          return k
        end})
        l(m.x)
        s = ("ab"):gsub(".", function(c)
          return c
        end)
        goto_ = nil
        return t
        """;

    private const string Calls = """
        local e = redis.error_reply('My Err')
        local e2 = redis.error_reply('Err')
        local st = redis.status_reply('X')
        local l = pcall(redis.log, 1)
        local l2 = pcall(redis.call, {})
        local l3 = pcall(redis.call)
        redis.pcall('set')
        redis.call('sadd', 's', '\0\1"x"\n')
        redis.call('smembers', 's')
        redis.call('hset', 'h', 'f', 1.5)
        redis.setresp(3)
        redis.call('hgetall', 'h')
        redis.call('smembers', 's')
        redis.call('get', 'nokey')
        redis.call('zadd', 'z', 1.5, 'm')
        redis.call('zrange', 'z', 0, -1, 'withscores')
        redis.call('set', 'x', string.rep('y', 2000))
        redis.call('get', 'x')
        local long = string.rep('z', 2000)
        redis.debug(long)
        redis.debug()
        redis.call('time', '1')
        return long
        """;

    /// <summary>All sessions, in order: some find what others have written.</summary>
    public static DebuggerSession[] All { get; } =
    [
        new(Mixed, Words(
            "help|list|whole|list 5|l 5 1|w|print|p a|step|n|s|print|print t|print s|print zz|break|break 6",
            "break 14|b|b -6|b|b 99|b 3 x|b abc|b|trace|c|trace|print|s|s|s|s|p|t|s|p x|p z|p a|c|c")),
        new(Mixed, Words(
            "redis get k|r set k 2|r lpush k 3|r foo|redis|r get|r hgetall x|r mget a k|r config get save",
            "r ping|r exists a|e 1+1|e return 1,2|e 1 2|e foo|e redis.call('set','b','eval')|e x=1",
            "e return KEYS[1]|e local q = 5 return q*2|e redis.breakpoint()|e redis.debug(1)|e error('x')",
            "continue|c")),
        new(Mixed, Words("abort")),
        new(Mixed, Words("s|A x")),
        new(Values, Words(
            "b 10|c|p u|p nan|p big|p i|p h|p m|p m2|p m3|p c|p b|p n|p em|p f|p st|p deep|p a|p KEYS|p ARGV",
            "p redis|p|p a b c|e return {f=pcall}|e return nil|e return|e return false|list 0|list -3",
            "list abc|l 100|l 3 0|l 3 -1|list 3 x|l 9|whole x|maxlen|maxlen 10|m|p st|p deep|m 0|m 60|p deep",
            "m 100|m 5|m 61|p c|m abc|p c|m -1|maxlen 1 2|foo|x y|?|help x|Next")),
        new(Functions, Words(
            "b 4|c|t|p|p n|p n1|p leaf|p g|e return n|s|s|s|s|s|s|s|s|p|t|s|p|t|s|p|t|s|s|s",
            string.Join('|', Enumerable.Repeat("s|t", 60)))),
        new(Flow, Words(string.Join('|', Enumerable.Repeat("s|p", 80)))),
        new(Calls, Words(string.Join('|', Enumerable.Repeat("s", 18)), "s|p long|s|s|s")),
        new("local a = 1\nreturn a", Words("b -1|b 1|b 1|b|b 0 1|b 1 2 0 2|b|b -2|b|b 2 -2 x|c")),
        new(string.Join('\n', Enumerable.Range(1, 70).Select(static line => $"local v{line} = {line}")),
            Words(string.Join('|', Enumerable.Range(1, 66).Select(static line => $"b {line}")), "b|b 0|c")),
        new("return 1+", Words("s")),
        new("error('x')\nreturn 1", Words("s")),
        new("return redis.call('foo')", Words("c")),
        new("#!lua\nlocal a=1\r\nreturn a\n\n", Words("w|s|s")),
        new("", Words("w|l|s")),
        new("redis.call('select', 5)\nredis.call('set', 'five', 1)\nreturn redis.call('get', 'a')",
            Words("s|s|r get five|s")),
        new("local a = 1\nredis.pcall('foo')\npcall(redis.log, 1)\nredis.error_reply('x')\nreturn a",
            Words("e redis.error_reply('x')|e pcall(redis.log, 1)|c")),
        new("return 1", [""]),
    ];

    private static string[][] Words(params string[] lines) =>
        [.. string.Join('|', lines).Split('|').Select(static line => line.Split(' '))];
}
