using System;
using System.Linq;
using System.Text;
using Cinnabar.Lua.Libraries;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua;

public class LuaMachineTests
{
    [Theory]
    [InlineData("return 1 + 2 * 3", "7")]
    [InlineData("local t = {10, 20, x = 5} return #t, t.x, t[2]", "2|5|20")]
    [InlineData("local function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end return f(15)",
        "610")]
    [InlineData("return select('#', (function(...) return ... end)(1, nil, nil))", "3")]
    [InlineData("local a = {} for i = 1, 3 do a[i] = function() i = i + 1 return i end end " +
        "return a[1](), a[1]()", "2|3")]
    [InlineData("return pcall(function() local x x.y = 1 end)",
        "false|test:1: attempt to index local 'x' (a nil value)")]
    [InlineData("local c = coroutine.wrap(function(a) local b = coroutine.yield(a) return b end) " +
        "return c(1), c(2)", "1|2")]
    public void Script_gives_its_results(string source, string results) =>
        Assert.Equal(results, Run(NewMachine(new LuaOptions()), source));

    [Theory]
    [InlineData("while true do end")]
    [InlineData("repeat until false")]
    [InlineData("local function f() return f() end f()")]
    [InlineData("pcall(function() while true do end end)")]
    [InlineData("coroutine.wrap(function() for i = 1, math_huge do end while true do end end)()")]
    [InlineData("while true do pcall(error, 'x') end")]
    public void Interrupt_ends_a_loop_and_no_pcall_outlasts_it(string source)
    {
        int count = 0;
        var machine = NewMachine(new LuaOptions
        {
            Interrupt = () =>
            {
                if (++count == 3) throw new LuaInterruptException("killed");
            },
        });
        machine.Globals.Set("math_huge", 10);
        Assert.Throws<LuaInterruptException>(() => Run(machine, source));
        machine.Reset();
        Assert.Equal("7", Run(machine, "return 7"));
    }

    /// <summary>Each pass takes a tenth of a millisecond or more: the host is asked once a pass, at least.
    /// </summary>
    [Theory]
    [InlineData("local s = string.rep('x', 4e6) for i = 1, 20 do local x = s .. 'a' end")]
    [InlineData("local s = string.rep('x', 4e6) for i = 1, 20 do local x = string.sub(s, 2) end")]
    [InlineData("local s = string.rep('\"', 1e6) for i = 1, 20 do local x = string.format('%q', s) end")]
    [InlineData("local s = string.rep('x', 4e6) local a, b = s .. 'a', s .. 'b' "
        + "for i = 1, 20 do local x = a < b end")]
    [InlineData("local s = string.rep('0', 4e6) for i = 1, 20 do local x = tonumber(s) end")]
    [InlineData("local s = string.rep('0', 4e6) for i = 1, 20 do local x = s + 1 end")]
    [InlineData("local function f(n, ...) if n == 0 then return end "
        + "return f(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end f(4000)")]
    [InlineData("local t = {} for i = 1, 7900 do t[i] = i end "
        + "local function g(d) if d == 0 then return unpack(t) end return 1, g(d - 1) end g(200)")]
    [InlineData("local t = {} for i = 1, 7900 do t[i] = i end for i = 1, 400 do unpack(t) end")]
    [InlineData("local t = {} for i = 1, 2^20 do t[i] = i end for i = 1, 2^20 - 1 do t[i] = nil end "
        + "for i = 1, 250 do next(t) end")]
    public void Long_steps_are_interrupted(string source)
    {
        int count = 0;
        var machine = NewMachine(new LuaOptions { Interrupt = () => count++ });
        machine.Globals.Set("string", LuaValue.From(new StandardLibraries(machine).OpenString()));
        Run(machine, source);
        Assert.True(count >= 20, $"{count} interrupts");
    }

    /// <summary>Equal strings are compared once: they share their bytes then.</summary>
    [Fact]
    public void Equal_strings_share_their_bytes()
    {
        LuaString left = LuaString.From(new byte[1000]);
        LuaString right = LuaString.From(new byte[1000]);
        Assert.False(left.Bytes == right.Bytes);
        Assert.True(left.Equals(right));
        Assert.True(left.Bytes == right.Bytes);
        Assert.False(left.Equals(LuaString.From(new byte[999])));
    }

    [Theory]
    [InlineData("local t = {} for i = 1, 1e9 do t[i] = {} end")]
    [InlineData("local s = 'x' while true do s = s .. s end")]
    [InlineData("local t = {} while true do pcall(function() t[#t + 1] = {} end) end")]
    [InlineData("local t = {} while true do t = {t} end")]
    [InlineData("local f = function() end while true do local g = f f = function() return g end end")]
    [InlineData("local t = {} while true do t[#t + 1] = coroutine.create(function() end) end")]
    public void Memory_has_a_limit_that_no_pcall_outlasts(string source)
    {
        LuaMachine machine = NewMachine(new LuaOptions { MemoryMax = 4 << 20 });
        Assert.Throws<LuaMemoryException>(() => Run(machine, source));
        machine.Reset();
        Assert.InRange(machine.Budget.Used, 1, 1 << 20);
        Assert.Equal("7", Run(machine, "return 7"));
    }

    [Fact]
    public void Garbage_does_not_count_towards_the_limit()
    {
        LuaMachine machine = NewMachine(new LuaOptions { MemoryMax = 4 << 20 });
        Assert.Equal("done", Run(machine, "for i = 1, 300000 do local t = {i} end return 'done'"));
    }

    [Theory]
    [InlineData("local function f() return 1 + f() end return pcall(f)", "stack overflow")]
    [InlineData("local function f() return pcall(f) end local function g() f() error('deep') end " +
        "return pcall(g)", "deep")]
    [InlineData("local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end " +
        "return pcall(function() return t.x end)", "C stack overflow")]
    [InlineData("local function f() return coroutine.wrap(f)() end return pcall(f)", "C stack overflow")]
    public void Depth_has_a_limit(string source, string message)
    {
        LuaMachine machine = NewMachine(new LuaOptions());
        Assert.Contains(message, Run(machine, source), StringComparison.Ordinal);
        Assert.Equal("7", Run(machine, "return 7"));
    }

    [Fact]
    public void Nesting_of_a_source_has_a_limit()
    {
        string source = string.Concat(Enumerable.Repeat("(", 300));
        var failure = Assert.Throws<LuaException>(() => NewMachine(new LuaOptions()).Load(
            Encoding.ASCII.GetBytes("return " + source), "@test"));
        Assert.Equal("test:1: chunk has too many syntax levels", failure.Message);
    }

    [Fact]
    public void Long_chain_of_operators_compiles()
    {
        string source = "return 1" + string.Concat(Enumerable.Repeat(" + x", 20_000));
        LuaMachine machine = NewMachine(new LuaOptions());
        machine.Globals.Set("x", 1);
        Assert.Equal("20001", Run(machine, source));
    }

    [Fact]
    public void Handler_of_an_error_has_room_on_a_full_stack()
    {
        Assert.Equal("test:1: stack overflow!|test:1: stack overflow!|error in error handling|4", Run(
            NewMachine(new LuaOptions()), """
            local function f() return 1 + f() end
            local function shout(e)
              local function g(n) return n == 0 and e .. '!' or (g(n - 1)) end
              return g(50)
            end
            local _, first = xpcall(f, shout)
            local _, second = xpcall(f, shout)
            local _, third = xpcall(f, function() return 1 + f() end)
            return first, second, third, select(2, pcall(function() return 4 end))
            """));
    }

    [Fact]
    public void Prototype_serves_several_machines()
    {
        var prototype = LuaMachine.Compile("x = (x or 0) + 1 return x"u8, LuaString.From("@test"));
        foreach (LuaMachine machine in new[] { NewMachine(new LuaOptions()), NewMachine(new LuaOptions()) })
            Assert.Equal(1, machine.Call(LuaValue.From(machine.Bind(prototype)))[0].Number);
    }

    [Fact]
    public void Hook_sees_each_line_and_the_locals()
    {
        LuaMachine machine = NewMachine(new LuaOptions());
        string seen = "";
        machine.OnLine = (_, line) =>
            seen += $"{line}:{string.Join(',', machine.Locals(0).Select(local => local.Key))} ";
        Run(machine, "local a = 1\nlocal b = 2\nfor i = 1, 2 do\n  b = b + i\nend\nreturn a");
        Assert.StartsWith("1: 2:a 3:a,b 4:a,b,", seen, StringComparison.Ordinal);
        Assert.EndsWith("6:a,b ", seen, StringComparison.Ordinal);
    }

    [Fact]
    public void Collection_removes_weak_pairs()
    {
        Assert.Equal("0|1", Run(NewMachine(new LuaOptions()), """
            local weak = setmetatable({}, {__mode = 'v'})
            local kept = setmetatable({}, {__mode = 'k'})
            local key = {}
            do weak[1] = {} kept[{}] = 1 kept[key] = 2 end
            local x, y, z = nil, nil, nil
            collectgarbage()
            local count = 0
            for _ in pairs(kept) do count = count + 1 end
            return #weak, count
            """));
    }

    private static LuaMachine NewMachine(LuaOptions options)
    {
        var machine = new LuaMachine(options);
        BaseLibrary.Open(machine);
        CoroutineLibrary.Open(machine);
        return machine;
    }

    private static string Run(LuaMachine machine, string source) => string.Join('|', machine
        .Call(LuaValue.From(machine.Load(Encoding.UTF8.GetBytes(source), "@test")))
        .Select(value => value.ToString()));
}
