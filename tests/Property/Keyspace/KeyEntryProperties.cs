using System;
using System.Linq;
using Cinnabar.Keyspace.Entries;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

public sealed unsafe class KeyEntryProperties
{
    [Theory]
    [InlineData(-1)]
    [InlineData(77)]
    public void AKeyMatchesItselfAndNoOther(long deadlineMs)
    {
        byte* entry = stackalloc byte[400];
        for (int length = 0; length <= 300; length++)
        {
            byte[] key = [.. Enumerable.Range(0, length).Select(static index => (byte)(index * 7))];
            KeyEntry.Initialize(entry, KeyType.String, KeyEncoding.Raw, key, deadlineMs);
            Assert.True(KeyEntry.Matches(entry, key.AsSpan().ToArray()));
            Assert.False(KeyEntry.Matches(entry, [.. key, 1]));
            for (int index = 0; index < length; index++)
            {
                key[index] ^= 0x10;
                Assert.False(KeyEntry.Matches(entry, key), $"{length} bytes, another at {index}");
                Assert.False(KeyEntry.Matches(entry, key.AsSpan(index + 1)));
                key[index] ^= 0x10;
            }
        }
    }
}
