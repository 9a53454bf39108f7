using System;
using Cinnabar.Load;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>Runs a load in short slices for as long as something lasts.</summary>
internal static class RateSlices
{
    private const double SliceSeconds = 0.2;

    /// <summary>Runs slices until one ends after the event is over. That one does not count unless it is the
    /// only one, since the event ended within it.</summary>
    /// <param name="generator">The load.</param>
    /// <param name="goesOn">Whether the event lasts; asked after every slice.</param>
    /// <returns>Requests that were answered, and the seconds that they took.</returns>
    /// <exception cref="LoadException">The server answered an error.</exception>
    public static (long Requests, double Seconds) RunWhile(LoadGenerator generator, Func<bool> goesOn)
    {
        long requests = 0;
        double seconds = 0;
        for (bool isOn = true; isOn;)
        {
            LoadResult slice = generator.Run(SliceSeconds);
            if (slice.ErrorCount > 0) throw new LoadException($"the server answered: {slice.FirstError}");
            isOn = goesOn();
            if (!isOn && requests > 0) break;
            requests += slice.RequestCount;
            seconds += slice.Seconds;
        }
        return (requests, seconds);
    }
}
