namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>What a simulation does besides, and its deliberate faults, with which it must fail.</summary>
internal sealed record SimulationOptions
{
    /// <summary>Commands on strings are scripts and functions.</summary>
    public bool RunsScripts { get; init; }

    /// <summary>Every so manyth command of scripts makes these run again; 0: none does.</summary>
    public int ScriptRerunInterval { get; init; }

    /// <summary>A write of a script seems to get lost.</summary>
    public bool MisplacesWrites { get; init; }

    /// <summary>The transport loses one byte of a reply.</summary>
    public bool DropsByte { get; init; }

    /// <summary>The server seems to ignore WATCH.</summary>
    public bool OmitsWatch { get; init; }

    /// <summary>The server seems to ignore CLIENT PAUSE.</summary>
    public bool OmitsPause { get; init; }

    /// <summary>The server seems to give waiting clients an element of the wrong end.</summary>
    public bool SwapsEnds { get; init; }

    /// <summary>One message of one subscriber seems to get lost.</summary>
    public bool LosesMessage { get; init; }

    /// <summary>The server seems to give clients that wait for the lowest member the highest.</summary>
    public bool SwapsScores { get; init; }

    /// <summary>The server seems to keep fields of hashes past their deadline.</summary>
    public bool DelaysFields { get; init; }

    /// <summary>The server seems to serve the last waiter first.</summary>
    public bool ReversesQueues { get; init; }
}
