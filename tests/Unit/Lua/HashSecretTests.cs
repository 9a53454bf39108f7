using System.Collections.Generic;
using System.Linq;
using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;
using Xunit;

namespace Cinnabar.Tests.Unit.Lua;

/// <summary>Keys that a client chooses do not collide; what scripts share.</summary>
public class HashSecretTests
{
    private const int PairCount = 10;
    private const int WordSize = 8;

    // A multiplication keeps a difference in the highest bit; a shift by 29 copies it once. So each pair of
    // words can have two forms with one hash, where the multiplier is all there is.
    [Fact]
    public void StringsWithDifferencesInTheHighestBitsDiffer()
    {
        var hashes = new HashSet<int>();
        for (int number = 0; number < 1 << PairCount; number++)
        {
            byte[] bytes = new byte[2 * WordSize * PairCount];
            for (int pair = 0; pair < PairCount; pair++)
            {
                if ((number >> pair & 1) == 0) continue;
                int start = 2 * WordSize * pair;
                bytes[start + 7] = 0x80;
                bytes[start + WordSize + 7] = 0x80;
                bytes[start + WordSize + 4] = 0x04;
            }

            hashes.Add(LuaString.Adopt(bytes).GetHashCode());
        }

        Assert.InRange(hashes.Count, (1 << PairCount) - 10, 1 << PairCount);
    }

    // The sign and the exponent are the highest bits: no multiplication brings them down.
    [Fact]
    public void NumbersOfOneMantissaDiffer()
    {
        const int count = 2000;
        int places = Enumerable.Range(1, count)
            .Select(exponent => HashPart.HashOf(System.BitConverter.Int64BitsToDouble((long)exponent << 52)))
            .Select(static hash => hash & 0xFFF).Distinct().Count();
        Assert.InRange(places, 1400, count); // at random: 1582
    }

    [Fact]
    public void EqualStringsOfTwoSourcesAreOneObject()
    {
        var pool = new LuaStringPool();
        LuaString chunk = LuaString.From("@test");
        Prototype one = ChunkParser.Compile("return first('text')"u8, chunk, pool);
        Prototype other = ChunkParser.Compile("local x = 'text' return x"u8, chunk, pool);
        LuaString Text(Prototype of) => of.Constants.Select(static constant => constant.AsString!)
            .Single(static text => text.Length == 4);
        Assert.Same(Text(one), Text(other));
        Assert.NotSame(Text(one), Text(ChunkParser.Compile("return 'text'"u8, chunk, pool: null)));
        LuaString big = LuaString.From(new string('x', 100));
        Assert.Same(big, pool.Share(big));
        Assert.NotSame(big, pool.Share(LuaString.From(new string('x', 100))));
    }

    [Fact]
    public void LinesBeyondTwoBytesAreKept()
    {
        string source = new string('\n', 70_000) + "error('x')";
        Prototype compiled = ChunkParser.Compile(
            System.Text.Encoding.ASCII.GetBytes(source), LuaString.From("@test"), pool: null);
        Assert.Equal(70_001, compiled.Lines[0]);
        Assert.Equal(1, ChunkParser.Compile("return"u8, LuaString.From("@test"), pool: null).Lines[0]);
    }
}
