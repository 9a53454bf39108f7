using System;
using System.Text;
using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Replication;

/// <summary>What a replica tells of itself with REPLCONF, and what follows from it.</summary>
public sealed class AnnouncementTests
{
    [Fact]
    public void OptionsOfSeveralCommandsAddUp()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("+OK", client.Run("REPLCONF listening-port 6380"));
        Assert.Equal("+OK", client.Run("replconf IP-ADDRESS 10.0.0.1 capa eof CAPA Psync2 capa other"));
        Assert.Equal("+OK", client.Run("REPLCONF version 8.2.1 rdb-only 1"));
        Assert.Equal("+OK", client.Call("REPLCONF", "rdb-filter-only", " functions\t").ToString());
        var expected = new ReplicaAnnouncement
        {
            Port = 6380,
            Address = "10.0.0.1",
            KnowsEndMarks = true,
            KnowsNewNames = true,
            Version = 0x802,
            IsDataOnly = true,
            Parts = PayloadParts.Functions,
        };
        Assert.Equal(expected, Of(client));
    }

    [Theory]
    [InlineData("REPLCONF capa", "-ERR syntax error")]
    [InlineData("REPLCONF color red", "-ERR Unrecognized REPLCONF option: color")]
    [InlineData("REPLCONF listening-port no", "-ERR value is not an integer or out of range")]
    [InlineData("REPLCONF version 8", "-ERR Unrecognized version format: 8")]
    [InlineData("REPLCONF rdb-only 2", "-ERR value is out of range, value must between 0 and 1")]
    [InlineData("REPLCONF rdb-filter-only keys", "-ERR Unsupported rdb-filter-only option: keys")]
    public void WhatIsWrongIsRefused(string command, string reply)
    {
        using var server = new TestServer();
        Assert.Equal(reply, server.Connect().Run(command));
    }

    [Fact]
    public void AnAddressMayBeAsLongAsAHostName()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("+OK", client.Run("REPLCONF ip-address " + new string('a', 255)));
        Assert.Equal("-ERR REPLCONF ip-address provided by replica instance is too long: 256 bytes",
            client.Run("REPLCONF ip-address " + new string('a', 256)));
    }

    [Fact]
    public void WhatStandsBeforeAnErrorCounts()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        Assert.Equal("-ERR Unrecognized REPLCONF option: color",
            client.Run("REPLCONF listening-port 7000 color red capa eof"));
        Assert.Equal(new ReplicaAnnouncement { Port = 7000 }, Of(client));
    }

    /// <summary>An acknowledgement, and a request for one, have no answer, whoever sends them.</summary>
    [Theory]
    [InlineData("REPLCONF ACK 100")]
    [InlineData("REPLCONF ACK 100 FACK 50")]
    [InlineData("REPLCONF GETACK *")]
    public void AcknowledgementsAreNotAnswered(string command)
    {
        using var server = new TestServer();
        Assert.Equal("", server.Connect().Run(command));
    }

    [Theory]
    [InlineData("7.0.15", 0x700)]
    [InlineData("8.2", 0x802)]
    [InlineData("127.255.9", 0x7fff)]
    [InlineData("255.255.255", 0)]
    [InlineData("8", 0)]
    [InlineData("", 0)]
    [InlineData(".2", 0)]
    [InlineData("8.", 0)]
    [InlineData("8.x", 0)]
    [InlineData("-8.2", 0)]
    [InlineData("8.256", 0)]
    public void VersionsAreRead(string text, int version) =>
        Assert.Equal(version, ReplicaAnnouncement.ParseVersion(Encoding.ASCII.GetBytes(text)));

    [Theory]
    [InlineData(0, nameof(RdbCompatibility.Redis74), false)]
    [InlineData(0x602, nameof(RdbCompatibility.Redis62), false)]
    [InlineData(0x700, nameof(RdbCompatibility.Redis70), false)]
    [InlineData(0x702, nameof(RdbCompatibility.Redis72), false)]
    [InlineData(0x704, nameof(RdbCompatibility.Redis74), false)]
    [InlineData(0x801, nameof(RdbCompatibility.Redis74), false)]
    [InlineData(0x802, nameof(RdbCompatibility.Redis74), true)]
    [InlineData(0x900, nameof(RdbCompatibility.Redis74), false)]
    public void AVersionSaysWhatIsRead(int version, string level, bool readsNewest)
    {
        var told = new ReplicaAnnouncement { Version = version };
        Assert.Equal(Enum.Parse<RdbCompatibility>(level), told.LevelMax);
        Assert.Equal(readsNewest, told.ReadsNewest);
    }

    /// <summary>A replica of unknown version may be one that cannot read what the newest does.</summary>
    [Fact]
    public void OneSnapshotServesThoseThatReadTheSame()
    {
        var told = new ReplicaAnnouncement { Version = 0x802, Port = 1 };
        Assert.True(told.IsServedWith(new ReplicaAnnouncement { Version = 0x804, Port = 2 }));
        Assert.False(told.IsServedWith(new ReplicaAnnouncement()));
        Assert.False(told.IsServedWith(told with { KnowsEndMarks = true }));
        Assert.False(told.IsServedWith(told with { Parts = PayloadParts.Functions }));
        Assert.False(new ReplicaAnnouncement().IsServedWith(new ReplicaAnnouncement { Version = 0x700 }));
    }

    /// <summary>Without a mark or a length, data of a part have no end.</summary>
    [Fact]
    public void PartsOfTheDataNeedTheEndMark()
    {
        using var server = new TestServer();
        TestClient client = server.Connect();
        client.Call("REPLCONF", "rdb-filter-only", "functions");
        Assert.Equal("-ERR Filtered replica requires EOF capability", client.Run("PSYNC ? -1"));
    }

    private static ReplicaAnnouncement Of(TestClient client) =>
        Assert.IsType<Replica>(client.Session!.Feed).Announcement;
}
