using System.Collections.Generic;
using System.Text;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Listpacks;

public sealed class ListpackIndexProperties
{
    private const int QuestionCount = 300;

    // Few different texts, many of which agree in what the hash takes.
    [Fact]
    public void FindsWhatAWalkFinds() => Seeded.Run(300, seed =>
    {
        var draws = new Draws(seed);
        int stride = 1 + draws.Below(2);
        int count = draws.Below(130) * stride;
        using var pack = new ListpackMemory(1 << 17);
        for (int entry = 0; entry < count; entry++) pack.Insert(pack.Reader.End, Text(draws));
        ListpackReader reader = pack.Reader;
        bool isWorth = ListpackIndex.IsWorth(reader, stride, QuestionCount);
        Assert.Equal(count / stride >= 8 && reader.Size <= ushort.MaxValue, isWorth);
        Assert.False(ListpackIndex.IsWorth(reader, stride, 7));
        if (!isWorth) return;
        var table = new ListpackIndex(reader, new ushort[ListpackIndex.SlotCount]);
        table.Build(stride);
        for (int question = 0; question < QuestionCount; question++)
        {
            byte[] text = Text(draws);
            Assert.Equal(reader.Find(text, reader.First, stride), table.Find(text));
        }

        List<string> entries = pack.Texts();
        for (int entry = 0; entry < entries.Count; entry += stride)
        {
            byte[] text = Encoding.Latin1.GetBytes(entries[entry]);
            Assert.Equal(reader.Find(text, reader.First, stride), table.Find(text));
        }
    });

    private static byte[] Text(Draws draws) => draws.Below(5) switch
    {
        0 => Encoding.ASCII.GetBytes($"{draws.Below(200) - 100}"),
        1 => Encoding.ASCII.GetBytes(new string('x', draws.Below(100))),
        2 => Encoding.ASCII.GetBytes($"first part, {draws.Below(1000):0000} in the middle, same end"),
        3 => Encoding.ASCII.GetBytes($"same beginning {draws.Below(100):000}, same middle, same end of all"),
        _ => Encoding.ASCII.GetBytes($"f{draws.Below(300)}"),
    };
}
