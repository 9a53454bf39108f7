using System;
using System.Linq;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua.Libraries;

/// <summary>What a hostile script can ask of the libraries ends with an error, by memory, depth or
/// interrupt.</summary>
public sealed class LibraryLimitTests
{
    private const int MemoryMax = 4 << 20;

    private static LuaValue Text(string text) => LibraryHost.Text(text);

    private static string Repeat(string text, int count) =>
        string.Concat(Enumerable.Repeat(text, count));

    private static LibraryHost Interrupted()
    {
        int left = 100;
        return new LibraryHost(new LuaOptions
        {
            Interrupt = () =>
            {
                if (left-- == 0) throw new LuaInterruptException("enough");
            },
        });
    }

    [Theory]
    [InlineData(".-.-.-.-.-.-.-.-b")]
    [InlineData("a*a*a*a*a*a*a*a*b")]
    [InlineData("(a?)(a?)(a?)(a?)a*a*a*a*a*b")]
    [InlineData("%b()")]
    public void A_slow_pattern_is_interrupted(string pattern)
    {
        LuaValue subject = Text(pattern == "%b()" ? new string('(', 300_000) : new string('a', 3_000));
        Assert.Throws<LuaInterruptException>(() => Interrupted().Call("string.find", subject, Text(pattern)));
    }

    [Fact]
    public void A_long_pattern_needs_no_stack()
    {
        const int length = 200_000;
        LuaValue subject = Text(new string('a', 50));
        LuaValue[] found = new LibraryHost().Call("string.find", subject, Text(Repeat("a?", length)));
        Assert.Equal(50, found[1].Number);
        string error = new LibraryHost().ErrorOf("string.find", subject, Text(new string('(', length)));
        Assert.Equal("too many captures", error);
    }

    [Fact]
    public void A_long_pattern_is_charged()
    {
        var host = new LibraryHost(new LuaOptions { MemoryMax = MemoryMax });
        LuaValue pattern = Text(Repeat("a?", 500_000));
        Assert.Throws<LuaMemoryException>(() => host.Call("string.find", Text("a"), pattern));
    }

    [Theory]
    [InlineData(1e9)]
    [InlineData(2147483647)]
    public void A_repetition_past_the_limit_is_refused(double count)
    {
        var host = new LibraryHost(new LuaOptions { MemoryMax = MemoryMax });
        Assert.Throws<LuaMemoryException>(() => host.Call("string.rep", Text("0123456789"), count));
    }

    [Fact]
    public void A_repetition_past_any_array_is_refused_without_a_limit() => Assert.Throws<LuaMemoryException>(
        () => new LibraryHost().Call("string.rep", Text("0123456789"), 2147483647));

    [Fact]
    public void A_repetition_is_exact()
    {
        foreach (int length in new[] { 1, 3, 7, 1000, 1 << 20, (1 << 20) + 1 })
        {
            string unit = Repeat("abcdefg", length / 7 + 1)[..length];
            int count = (3 << 20) / length + 1;
            LuaValue repeated = new LibraryHost().Call("string.rep", Text(unit), count)[0];
            Assert.Equal(length * count, repeated.String.Length);
            Assert.True(repeated.String.Bytes.SequenceEqual(Text(Repeat(unit, count)).String.Bytes));
        }
    }

    [Fact]
    public void A_format_of_many_widths_is_charged()
    {
        var host = new LibraryHost(new LuaOptions { MemoryMax = MemoryMax });
        var arguments = new LuaValue[200_000];
        arguments[0] = Text(Repeat("%99s", arguments.Length - 1));
        Array.Fill(arguments, 1.0, 1, arguments.Length - 1);
        Assert.Throws<LuaMemoryException>(() => host.Call("string.format", arguments));
    }

    [Fact]
    public void An_order_that_contradicts_itself_ends()
    {
        LibraryHost host = new();
        var list = new LuaTable();
        for (int index = 1; index <= 1000; index++) list.Set(index, (double)index);
        LuaValue always = LuaValue.From(new HostFunction("always", call => call.Return(LuaValue.True)));
        Assert.Equal("invalid order function for sorting",
            host.ErrorOf("table.sort", LuaValue.From(list), always));
        Assert.Equal(1000, list.Length);
        var random = new Random(1);
        LuaValue chance = LuaValue.From(new HostFunction("chance",
            call => call.Return(LuaValue.FromBoolean(random.Next(2) == 0))));
        for (int round = 0; round < 100; round++)
        {
            string error = host.ErrorOf("table.sort", LuaValue.From(list), chance);
            Assert.True(error is "no error" or "invalid order function for sorting", error);
        }
        Assert.Equal(1000, list.Length);
    }

    [Fact]
    public void A_sort_is_interrupted()
    {
        LibraryHost host = Interrupted();
        var list = new LuaTable();
        for (int index = 1; index <= 500_000; index++) list.Set(index, (double)(index * 7919L % 500_009));
        Assert.Throws<LuaInterruptException>(() => host.Call("table.sort", LuaValue.From(list)));
    }

    [Fact]
    public void An_insertion_far_below_is_interrupted()
    {
        LibraryHost host = Interrupted();
        LuaValue list = LuaValue.From(new LuaTable());
        Assert.Throws<LuaInterruptException>(() => host.Call("table.insert", list, -2147483648.0, 1.0));
    }

    [Fact]
    public void A_concatenation_past_the_limit_is_refused()
    {
        var host = new LibraryHost(new LuaOptions { MemoryMax = MemoryMax });
        var list = new LuaTable();
        for (int index = 1; index <= 1000; index++) list.Set(index, Text(new string('x', 10_000)));
        Assert.Throws<LuaMemoryException>(() => host.Call("table.concat", LuaValue.From(list)));
    }

    [Fact]
    public void Nested_messages_end_where_a_stack_would()
    {
        LibraryHost host = new();
        host.Call("cjson.decode_max_depth", int.MaxValue);
        host.Call("cjson.encode_max_depth", int.MaxValue);
        Assert.Equal("Found too many nested data structures (7999) at character 7999",
            host.ErrorOf("cjson.decode", Text(new string('[', 1_000_000))));
        Assert.Equal("Found too many nested data structures (4000) at character 19996",
            host.ErrorOf("cjson.decode", Text(Repeat("{\"a\":", 100_000))));
        Assert.Equal("stack overflow (in function mp_decode_to_lua_array)",
            host.ErrorOf("cmsgpack.unpack", Text(new string('\x91', 1_000_000))));
        var loop = new LuaTable();
        loop.Set(1, LuaValue.From(loop));
        Assert.Equal("Cannot serialise, excessive nesting (7998)",
            host.ErrorOf("cjson.encode", LuaValue.From(loop)));
        Assert.Equal(17, host.Call("cmsgpack.pack", LuaValue.From(loop))[0].String.Length);
    }

    [Fact]
    public void Settings_and_seed_are_reset()
    {
        LibraryHost host = new();
        host.Libraries.Reset();
        double first = host.Call("math.random")[0].Number;
        host.Call("math.randomseed", 99);
        host.Call("cjson.encode_max_depth", 3);
        host.Call("cjson.encode_invalid_numbers", LuaValue.True);
        host.Libraries.Reset();
        Assert.Equal(first, host.Call("math.random")[0].Number);
        Assert.Equal(1000, host.Call("cjson.encode_max_depth")[0].Number);
        Assert.Equal(LuaValue.False, host.Call("cjson.encode_invalid_numbers")[0]);
    }

    [Fact]
    public void An_empty_array_can_stay_one()
    {
        LibraryHost host = new();
        LuaValue Encoded(string text) =>
            host.Call("cjson.encode", host.Call("cjson.decode", Text(text))[0])[0];
        Assert.Equal(Text("{}"), Encoded("[]"));
        Assert.Equal(LuaValue.True, host.Call("cjson.decode_array_with_array_mt", LuaValue.True)[0]);
        Assert.Equal(Text("[]"), Encoded("[]"));
        Assert.Equal(Text("[[],{},[1,[]]]"), Encoded("[[],{},[1,[]]]"));
        Assert.Equal(LuaValue.False, host.Call("cjson.decode_array_with_array_mt", Text("off"))[0]);
        Assert.Equal(Text("{}"), Encoded("[]"));
    }

    [Fact]
    public void Null_of_json_has_the_text_of_a_null_pointer()
    {
        LibraryHost host = new();
        Assert.Equal(host.Libraries.JsonNull, host.Call("cjson.decode", Text("null"))[0]);
        Assert.Equal(Text("userdata: (nil)"),
            Metamethods.ToText(host.Machine.MainThread, host.Libraries.JsonNull));
    }

    [Fact]
    public void The_clock_is_the_hosts() => Assert.Equal(1.5, new LibraryHost().Call("os.clock")[0].Number);
}
