using System;
using System.Linq;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua.Libraries;

/// <summary>Random input of the libraries that read foreign bytes: a result or an error of the script,
/// nothing else; and what they write, they read.</summary>
public sealed class LibraryFuzzTests
{
    private const int CaseCount = 20_000;

    [Theory]
    [InlineData("cjson.decode", "[]{},:\"\\u0123d8eE+-.nulltruefalsinfNaN \t\0\xff")]
    [InlineData("cmsgpack.unpack", "\0\x01"
        + "\x7f\x80\x81\x8f\x90\x91\x9f\xa0\xa1\xbf\xc0\xc1\xc4\xca\xcb\xcc\xcf\xd0"
        + "\xd3\xd9\xda\xdb\xdc\xdd\xde\xdf\xe0\xff")]
    public void Foreign_bytes_give_a_value_or_an_error(string function, string letters) =>
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            LibraryHost host = NewHost();
            for (int index = 0; index < CaseCount; index++)
                Try(host, function, LibraryHost.Text(Pick(random, letters, 24)));
        });

    [Fact]
    public void Formats_of_struct_give_a_value_or_an_error() => Seeded.Run(1, seed =>
    {
        const string letters = "bBhHlLTfdsxciI0123456789<>!= (";
        var random = new Random((int)seed);
        LibraryHost host = NewHost();
        for (int index = 0; index < CaseCount; index++)
        {
            LuaValue format = LibraryHost.Text(Pick(random, letters, 10));
            LuaValue data = LibraryHost.Text(Pick(random, "\0\x01\x02\xff abc", 40));
            Try(host, "struct.unpack", format, data, random.Next(-2, 40));
            Try(host, "struct.pack", format, data, random.Next(), random.NextDouble(), data, 1.0);
            Try(host, "struct.size", format);
        }
    });

    [Fact]
    public void Patterns_give_a_value_or_an_error() => Seeded.Run(1, seed =>
    {
        const string letters = "ab().%[]^$*+-?bfwd1\0\xff";
        var random = new Random((int)seed);
        LibraryHost host = NewHost();
        for (int index = 0; index < CaseCount; index++)
        {
            LuaValue subject = LibraryHost.Text(Pick(random, "ab()[]\0\xff", 20));
            LuaValue pattern = LibraryHost.Text(Pick(random, letters, 14));
            Try(host, "string.find", subject, pattern, random.Next(-3, 20));
            Try(host, "string.gsub", subject, pattern, LibraryHost.Text(Pick(random, "%0129ax", 5)));
            Try(host, "string.format", pattern, subject, 1.5);
        }
    });

    [Fact]
    public void What_is_written_is_read_again() => Seeded.Run(1, seed =>
    {
        var random = new Random((int)seed);
        LibraryHost host = NewHost();
        for (int index = 0; index < 2_000; index++)
        {
            LuaValue value = RandomValue(random, 4);
            LuaValue json = host.Call("cjson.encode", value)[0];
            Assert.True(AreAlike(value, host.Call("cjson.decode", json)[0]), json.ToString());
            LuaValue packed = host.Call("cmsgpack.pack", value)[0];
            Assert.True(AreAlike(value, host.Call("cmsgpack.unpack", packed)[0]), json.ToString());
        }
    });

    [Fact]
    public void A_sorted_table_is_in_order() => Seeded.Run(1, seed =>
    {
        var random = new Random((int)seed);
        LibraryHost host = NewHost();
        for (int round = 0; round < 300; round++)
        {
            double[] numbers =
                [.. Enumerable.Range(0, random.Next(200)).Select(_ => (double)random.Next(50))];
            var list = new LuaTable();
            for (int index = 0; index < numbers.Length; index++) list.Set(index + 1, numbers[index]);
            LuaValue greater = LuaValue.From(new HostFunction("greater",
                call => call.Return(LuaValue.FromBoolean(call.CheckNumber(0) > call.CheckNumber(1)))));
            bool isReversed = random.Next(2) == 0;
            host.Call("table.sort", LuaValue.From(list), isReversed ? greater : LuaValue.Nil);
            Array.Sort(numbers);
            if (isReversed) Array.Reverse(numbers);
            for (int index = 0; index < numbers.Length; index++)
                Assert.Equal(numbers[index], list.Get(index + 1).Number);
        }
    });

    private static LibraryHost NewHost() => new(new LuaOptions { MemoryMax = 1 << 30 });

    private static string Pick(Random random, string letters, int lengthMax) => string.Concat(
        Enumerable.Range(0, random.Next(lengthMax + 1)).Select(_ => letters[random.Next(letters.Length)]));

    // Any other exception fails the test.
    private static void Try(LibraryHost host, string function, params ReadOnlySpan<LuaValue> arguments)
    {
        try
        {
            host.Call(function, arguments);
        }
        catch (LuaException error)
        {
            Assert.NotEmpty(error.Message);
        }
    }

    private static LuaValue RandomValue(Random random, int depth)
    {
        switch (random.Next(depth == 0 ? 3 : 5))
        {
            case 0:
                return random.Next(2) == 0 ? random.Next(-100_000, 100_000) : random.Next(1000) / 8.0;
            case 1:
                return LibraryHost.Text(Pick(random, "ab\"\\/\n\0\x7f\xe4 ", 12));
            case 2:
                return LuaValue.FromBoolean(random.Next(2) == 0);
            default:
                var table = new LuaTable();
                bool isArray = random.Next(2) == 0;
                for (int index = random.Next(5); index > 0; index--)
                {
                    LuaValue key = isArray ? table.Length + 1 : LibraryHost.Text($"k{index}");
                    table.Set(key, RandomValue(random, depth - 1));
                }
                return LuaValue.From(table);
        }
    }

    private static bool AreAlike(LuaValue left, LuaValue right)
    {
        if (!left.IsTable || !right.IsTable) return left == right;
        int count = 0;
        for (LuaValue key = LuaValue.Nil; left.Table.Next(ref key, out LuaValue value); count++)
            if (!AreAlike(value, right.Table.Get(key))) return false;
        for (LuaValue key = LuaValue.Nil; right.Table.Next(ref key, out _);) count--;
        return count == 0;
    }
}
