namespace Cinnabar.Engine.Sessions;

/// <summary>How a session tracks keys.</summary>
[Flags]
internal enum TrackingModes
{
    /// <summary>The keys that it reads.</summary>
    Default = 0,

    /// <summary>BCAST: all keys with its prefixes.</summary>
    Broadcast = 1,

    /// <summary>OPTIN: keys that are read right behind CLIENT CACHING YES.</summary>
    OptIn = 2,

    /// <summary>OPTOUT: all but those that are read right behind CLIENT CACHING NO.</summary>
    OptOut = 4,

    /// <summary>NOLOOP: not those that it changes itself.</summary>
    NoLoop = 8,
}
