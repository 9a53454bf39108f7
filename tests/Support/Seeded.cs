using System;
using System.Globalization;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support;

/// <summary>Runs randomised tests so that a failure can be replayed: it names its seed.</summary>
public static class Seeded
{
    /// <summary>
    /// Runs a test under several seeds, or once under the seed in the environment variable CINNABAR_SEED.
    /// </summary>
    public static void Run(int rounds, Action<ulong> test)
    {
        string? given = Environment.GetEnvironmentVariable("CINNABAR_SEED");
        if (!string.IsNullOrEmpty(given))
        {
            test(ulong.Parse(given, CultureInfo.InvariantCulture));
            return;
        }
        for (int round = 0; round < rounds; round++)
        {
            ulong seed = RandomSource.SystemSeed();
            try
            {
                test(seed);
            }
            catch (Exception failure)
            {
                string message = $"Replay with CINNABAR_SEED={seed}: {failure.Message}";
                throw new InvalidOperationException(message, failure);
            }
        }
    }
}
