using System;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Streams;

/// <summary>Spoilt pages: whatever passes the validator can be walked both ways.</summary>
public unsafe class StreamPageFuzz
{
    private const int EntryCount = 40;
    private const int SpoiltCount = 3_000;

    [Fact]
    public void AValidatedStreamCanBeWalked() => Seeded.Run(2, seed => CheckedTrees.Run(
        new HashSeed(seed, 2), arenaCount: 1, (source, _) =>
        {
            var random = new RandomSource(seed);
            StreamTree stream = NewStream(source, ref random);
            stream.Root->Entries.SeekEdge(isLast: false, out TreePath path);
            StreamId baseId = StreamPage.BaseId(path.Page);
            byte[] sound = new ListpackReader(StreamPage.Pack(path.Page)).Bytes.ToArray();
            Assert.True(StreamPageValidator.IsSound(sound, baseId));
            using var memory = new PackMemory(2 * sound.Length);
            for (int round = 0; round < SpoiltCount; round++)
            {
                int size = sound.Length;
                if (random.NextBelow(8) == 0) size = (int)random.NextBelow((ulong)size);
                memory.Resize(size);
                sound.AsSpan(0, size).CopyTo(memory.Span);
                for (ulong left = 1 + random.NextBelow(3); left > 0 && size > 0; left--)
                    memory.Span[(int)random.NextBelow((ulong)size)] = (byte)random.Next();
                if (StreamPageValidator.IsSound(memory.Span, baseId)) Walk(source, memory.Span, baseId);
            }
            stream.Release(source);
        }));

    private static StreamTree NewStream(TreeSource source, ref RandomSource random)
    {
        StreamTree stream = StreamTree.Create(source);
        for (int entry = 1; entry <= EntryCount; entry++)
        {
            byte[] field = Encoding.ASCII.GetBytes(random.NextBelow(3) == 0 ? "other" : "field");
            byte[] value = Encoding.ASCII.GetBytes(random.NextBelow(1_000_000).ToString());
            using var fields = new StreamFields(field, value);
            var id = new StreamId((ulong)entry, random.NextBelow(100));
            stream.Append(source, id, fields.List, new StreamNodeLimits(0, 0));
        }
        for (ulong entry = 1; entry <= EntryCount; entry += 1 + random.NextBelow(5))
        {
            StreamCursor cursor = stream.Range(new StreamId(entry, 0), StreamId.Max, isReverse: false);
            if (cursor.MoveNext()) stream.Delete(source, cursor.Id);
        }
        return stream;
    }

    // SAFETY: the page has room for the pack; the memory of the source is checked.
    private static void Walk(TreeSource source, ReadOnlySpan<byte> pack, StreamId baseId)
    {
        TreePage* page = source.NewPage(0, StreamPage.HeadSize + pack.Length);
        ((ulong*)TreePage.Data(page))[0] = baseId.Ms;
        ((ulong*)TreePage.Data(page))[1] = baseId.Sequence;
        pack.CopyTo(new Span<byte>(StreamPage.Pack(page), pack.Length));
        int count = 0;
        StreamEntry entry;
        for (byte* at = StreamPage.First(page); at < StreamPage.End(page); at = StreamPage.Behind(in entry))
        {
            StreamPage.Read(page, at, out entry);
            count++;
        }
        byte* last = StreamPage.Before(StreamPage.End(page));
        for (byte* at = last; at != null; at = StreamPage.Before(at)) count--;
        Assert.Equal(0, count);
        source.ReleasePage(page);
    }
}
