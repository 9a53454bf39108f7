using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using Cinnabar.Lab.Pipelines;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Lab.Pipelines;

public sealed class LockFreeDictionaryTests
{
    /// <summary>The same as the framework's, through three doublings.</summary>
    [Fact]
    public void AgreesWithAPlainDictionary() => Seeded.Run(2, seed =>
    {
        var random = new Random((int)(seed & int.MaxValue));
        var plain = new Dictionary<string, string>();
        var tested = new LockFreeDictionary<string, string>();
        for (int step = 0; step < 40_000; step++)
        {
            string key = $"key:{random.Next(12_000)}";
            if (random.Next(3) == 0)
            {
                bool isThere = tested.TryGet(new StringProbe(key), out string? found);
                Assert.Equal(plain.GetValueOrDefault(key), isThere ? found : null);
                continue;
            }

            plain[key] = $"{step}";
            tested.Set(new StringProbe(key), $"{step}");
        }

        Assert.Equal(plain.Count, tested.Count);
        foreach ((string key, string value) in plain)
            Assert.True(tested.TryGet(new StringProbe(key), out string? found) && found == value, key);
    });

    [Fact]
    public void BytesOfEveryLength()
    {
        var tested = new LockFreeDictionary<byte[], byte[]>();
        string[] keys = [.. Enumerable.Range(0, 300).Select(size => new string('k', size))];
        foreach (string key in keys)
            tested.Set(new ByteProbe(Encoding.Latin1.GetBytes(key)), Encoding.Latin1.GetBytes(key + "!"));
        Assert.Equal(keys.Length, tested.Count);
        foreach (string key in keys)
        {
            Assert.True(tested.TryGet(new ByteProbe(Encoding.Latin1.GetBytes(key)), out byte[]? value));
            Assert.Equal(key + "!", Encoding.Latin1.GetString(value));
        }
    }

    /// <summary>Keys of four hashes only, so that nearly all are neighbours of one order.</summary>
    [Fact]
    public void KeysOfTheSameHash()
    {
        var tested = new LockFreeDictionary<string, string>();
        for (int round = 0; round < 2; round++)
            for (int key = 0; key < 200; key++) tested.Set(new CrowdedProbe(key), $"{key} in round {round}");
        Assert.Equal(200, tested.Count);
        for (int key = 0; key < 200; key++)
        {
            Assert.True(tested.TryGet(new CrowdedProbe(key), out string? value));
            Assert.Equal($"{key} in round 1", value);
        }

        Assert.False(tested.TryGet(new CrowdedProbe(200), out _));
    }

    /// <summary>Threads add the same keys at once while it grows: each is there once, with a value that one
    /// of them gave it; and what a thread has added it finds.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ThreadsThatAddTheSameKeys(bool isCrowded)
    {
        const int ThreadCount = 4;
        int keyCount = isCrowded ? 400 : 10_000;
        var tested = new LockFreeDictionary<string, string>();
        using var start = new Barrier(ThreadCount);
        int lost = 0;
        Thread[] threads = [.. Enumerable.Range(0, ThreadCount).Select(id => new Thread(() =>
        {
            start.SignalAndWait();
            for (int key = 0; key < keyCount; key++)
            {
                Set(tested, key, $"{key}:{id}", isCrowded);
                if (Get(tested, key, isCrowded)?.StartsWith($"{key}:", StringComparison.Ordinal) != true)
                    Interlocked.Increment(ref lost);
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        Assert.Equal(0, lost);
        Assert.Equal(keyCount, tested.Count);
        for (int key = 0; key < keyCount; key++)
            Assert.Matches($"^{key}:[0-3]$", Get(tested, key, isCrowded));
    }

    private static void Set(LockFreeDictionary<string, string> tested, int key, string value, bool isCrowded)
    {
        if (isCrowded) tested.Set(new CrowdedProbe(key), value);
        else tested.Set(new StringProbe($"{key}"), value);
    }

    private static string? Get(LockFreeDictionary<string, string> tested, int key, bool isCrowded)
    {
        bool isThere = isCrowded ? tested.TryGet(new CrowdedProbe(key), out string? value)
            : tested.TryGet(new StringProbe($"{key}"), out value);
        return isThere ? value : null;
    }

    private readonly struct CrowdedProbe(int key) : IProbe<string>
    {
        public uint Hash => (uint)key % 4;

        public bool Matches(string other) => other == $"{key}";

        public string ToKey() => $"{key}";
    }
}
