using System;
using System.Globalization;

namespace Cinnabar.Tests.Support;

/// <summary>How often tests that can run for ever repeat at least, where that is asked for by the
/// environment.</summary>
public static class AskedCounts
{
    /// <summary>How often a server is killed: CINNABAR_KILLS.</summary>
    public static long Kills => Of("CINNABAR_KILLS");

    /// <summary>How many damaged inputs each fuzzer of stored data is given: CINNABAR_INPUTS.</summary>
    public static long Inputs => Of("CINNABAR_INPUTS");

    private static long Of(string name) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text
            ? long.Parse(text, CultureInfo.InvariantCulture)
            : 0;
}
