using System;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>A directory of data goes back and forth between redis-server and this server's program: random
/// data of all types and encodings, and what random commands make of them, are the same in both, and Debian's
/// tools accept every file.</summary>
public sealed class ExchangeTests
{
    private const int PassCount = 3;

    [Theory]
    [InlineData(StoredKind.Snapshot)]
    [InlineData(StoredKind.Journal)]
    [InlineData(StoredKind.Commands)]
    public void RedisLoadsWhatIsStoredHere(StoredKind kind) => Exchange(kind, isOwnFirst: true);

    [Theory]
    [InlineData(StoredKind.Snapshot)]
    [InlineData(StoredKind.Journal)]
    [InlineData(StoredKind.Commands)]
    public void WhatRedisStoresIsLoadedHere(StoredKind kind) => Exchange(kind, isOwnFirst: false);

    private static void Exchange(StoredKind kind, bool isOwnFirst)
    {
        Assert.SkipUnless(OracleServer.IsNamedInstalled, "redis-server is not installed");
        Seeded.Run(1, seed =>
        {
            using var data = new StoredData(new Random((int)seed), kind);
            for (int pass = 0; pass < PassCount; pass++)
                data.Pass(isOwnFirst == (pass % 2 == 0));
        });
    }
}
