namespace Cinnabar.Tests.Support.Durability;

/// <summary>What of all data counts where two servers are compared.</summary>
public enum DataDetail
{
    /// <summary>Everything.</summary>
    Whole,

    /// <summary>What redis-server 7.0 has: no deadlines of fields.</summary>
    Redis70,

    /// <summary>What redis-server 7.0 has again after it has loaded its own append-only file: XCLAIM, its
    /// record of a group's read, does not tell how many entries the group has read.</summary>
    Redis70Journal,

    /// <summary>What commands of older versions recreate.</summary>
    Older,
}
