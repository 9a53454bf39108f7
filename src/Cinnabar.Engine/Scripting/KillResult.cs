namespace Cinnabar.Engine.Scripting;

/// <summary>What SCRIPT KILL or FUNCTION KILL has done.</summary>
internal enum KillResult
{
    /// <summary>Nothing: nothing runs.</summary>
    NotBusy,

    /// <summary>What ran ends.</summary>
    Killed,

    /// <summary>Nothing: what runs has written.</summary>
    Unkillable,

    /// <summary>Nothing: what runs is for the other command.</summary>
    OtherKind,
}
