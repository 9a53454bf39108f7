using System;
using System.Globalization;
using Cinnabar.Platform;

namespace Cinnabar.Tests.Support;

/// <summary>
/// Runs randomised tests so that a failure can be replayed: it names its seed. CI (the environment variable
/// CI is <c>true</c>) uses the same seeds each time, so that its result does not depend on chance; all other
/// runs use new ones.
/// </summary>
public static class Seeded
{
    private const ulong SeedOfCi = 20261122;

    private static string? Given =>
        Environment.GetEnvironmentVariable("CINNABAR_SEED") is { Length: > 0 } seed ? seed : null;

    /// <summary>A seed: that in the environment variable CINNABAR_SEED, if there is one.</summary>
    /// <param name="round">Distinguishes the seeds of CI.</param>
    public static ulong Seed(int round = 0)
    {
        if (Given is { } given)
            return ulong.Parse(given, CultureInfo.InvariantCulture);
        return Environment.GetEnvironmentVariable("CI") == "true"
            ? SeedOfCi + (ulong)round
            : RandomSource.SystemSeed();
    }

    /// <summary>
    /// Runs a test under several seeds, or once under the seed in the environment variable CINNABAR_SEED.
    /// </summary>
    public static void Run(int rounds, Action<ulong> test) => RunWhile(round => round < rounds, test);

    /// <summary>Runs a test under one seed after the other, at least one; once under that in
    /// CINNABAR_SEED.</summary>
    /// <param name="hasNext">Gets the number of rounds so far; returns whether there is another.</param>
    /// <param name="test">The test.</param>
    public static void RunWhile(Func<int, bool> hasNext, Action<ulong> test)
    {
        int round = 0;
        do
        {
            ulong seed = Seed(round++);
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
        while (Given is null && hasNext(round));
    }
}
