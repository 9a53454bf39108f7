using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Streams;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures.Streams;

public class StreamProducersProperties
{
    private const int StepCount = 1_500;
    private const int DurationMs = 300;
    private const int CountMax = 5;

    [Fact]
    public void ProducersIdsAreRememberedForTheConfiguredTime() => Seeded.Run(3, seed => CheckedTrees.Run(
        new HashSeed(seed, 2), arenaCount: 1, (source, _) =>
        {
            var random = new RandomSource(seed);
            StreamTree stream = StreamTree.Create(source);
            StreamTree snapshot = stream.Retain();
            var model = new Dictionary<string, List<(string Id, StreamId Entry, long AddedMs)>>();
            for (int step = 1; step <= StepCount; step++)
            {
                string producer = "producer " + random.NextBelow(20);
                string id = "id " + random.NextBelow(12) + new string('x', (int)random.NextBelow(30));
                long sinceMs = step - DurationMs;
                List<(string Id, StreamId Entry, long AddedMs)> known =
                    model.TryGetValue(producer, out var list) ? list : model[producer] = [];
                known.RemoveAll(one => one.AddedMs < sinceMs);
                StreamId expected = known.FirstOrDefault(one => one.Id == id).Entry;
                bool isKnown = StreamProducers.TryFind(
                    stream, Bytes(producer), Bytes(id), sinceMs, out StreamId found);
                Assert.Equal(!expected.IsZero, isKnown);
                if (isKnown)
                {
                    Assert.Equal(expected, found);
                    continue;
                }
                var entry = new StreamId((ulong)step, 0);
                StreamProducers.Add(ref stream, source, Bytes(producer), Bytes(id),
                    new StreamIdempotency(entry, step, sinceMs, CountMax));
                known.Add((id, entry, step));
                if (known.Count > CountMax) known.RemoveAt(0);
                Assert.True(StreamProducers.IdCountOf(stream) >= model.Values.Sum(
                    ids => ids.Count(one => one.AddedMs >= sinceMs)));
                if (step % 100 == 0) Assert.Null(StreamVerifier.FindFault(stream));
            }
            Assert.Equal(0, StreamProducers.CountOf(snapshot));
            StreamProducers.Configure(ref stream, source, 1, 1);
            Assert.Equal(0, StreamProducers.IdCountOf(stream));
            snapshot.Release(source);
            stream.Release(source);
        }));

    private static byte[] Bytes(string text) => Encoding.Latin1.GetBytes(text);
}
