using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Lua.Values;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua;

public class LuaTableTests
{
    [Fact]
    public void Table_agrees_with_a_dictionary() => Seeded.Run(20, seed =>
    {
        var random = new Random((int)seed);
        var table = new LuaTable();
        var model = new Dictionary<LuaValue, LuaValue>();
        for (int step = 0; step < 3000; step++)
        {
            LuaValue key = RandomKey(random);
            LuaValue value = random.Next(4) == 0 ? LuaValue.Nil : random.Next();
            table.Set(key, value);
            if (value.IsNil) model.Remove(key);
            else model[key] = value;
            LuaValue other = RandomKey(random);
            Assert.Equal(model.GetValueOrDefault(other), table.Get(other));
            Assert.True(IsBorder(model, table.Length));
            if (step % 100 == 0) Assert.Equal(model, Pairs(table).ToDictionary());
        }
    });

    [Fact]
    public void Next_goes_on_from_a_pair_that_was_removed()
    {
        var table = new LuaTable();
        for (int index = 1; index <= 20; index++)
        {
            table.Set(index, index);
            table.Set($"key{index}", index);
        }

        LuaValue key = LuaValue.Nil;
        int count = 0;
        while (table.Next(ref key, out _))
        {
            table.Set(key, LuaValue.Nil);
            count++;
        }

        Assert.Equal(40, count);
        Assert.Empty(Pairs(table));
        Assert.Equal(0, table.Length);
    }

    [Fact]
    public void Length_of_a_table_with_holes_is_what_Lua_gives()
    {
        var table = new LuaTable();
        for (int index = 1; index <= 5; index++) table.Set(index, index);
        table.Set(3, LuaValue.Nil);
        table.Set(5, LuaValue.Nil);
        Assert.Equal(4, table.Length);
    }

    [Fact]
    public void Read_only_table_refuses_changes()
    {
        var table = new LuaTable { IsReadOnly = true };
        Assert.Throws<LuaException>(() => table.Set(1, 1));
        Assert.Throws<LuaException>(() => table.Set("key", 1));
        Assert.False(table.IsPlain);
    }

    [Fact]
    public void Growth_past_the_limit_is_refused()
    {
        var budget = new LuaBudget(new NothingLive(), 100_000);
        var table = new LuaTable(budget);
        Assert.Throws<LuaMemoryException>(() =>
        {
            for (int index = 1; index < 100_000; index++) table.Set(index, index);
        });
    }

    private static bool IsBorder(Dictionary<LuaValue, LuaValue> model, int length) =>
        (length == 0 || model.ContainsKey(length)) && !model.ContainsKey(length + 1);

    private static IEnumerable<KeyValuePair<LuaValue, LuaValue>> Pairs(LuaTable table)
    {
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out LuaValue value)) yield return new(key, value);
    }

    private static LuaValue RandomKey(Random random) => random.Next(5) switch
    {
        0 => random.Next(-5, 60),
        1 => random.Next(1, 20),
        2 => random.Next(100) / 8.0,
        3 => LuaValue.FromString($"k{random.Next(40)}"),
        _ => LuaValue.FromBoolean(random.Next(2) == 0),
    };

    private sealed class NothingLive : IMemoryWalk
    {
        public long MeasureLive() => 99_000;

        public void Interrupt()
        {
        }
    }
}
