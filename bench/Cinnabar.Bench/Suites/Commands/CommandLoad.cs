using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Load.Requests;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>
/// How one command of spec/ is measured: by a round of requests that each client sends in this order, again
/// and again.
///
/// Most rounds are the command alone. One that consumes what it finds comes with the request that makes it
/// anew, and one that adds with the request that removes: so the data are the same size in the first second
/// and in the last, for a fast server and for a slow one. <c>16 * LPOP list</c> is that request sixteen
/// times, so that the command which is meant is most of the round.
///
/// A round never fails, whatever the rounds of other clients do meanwhile: what would otherwise be an error
/// (RENAME of a missing key) stands between MULTI and EXEC, and what would otherwise wait for ever (BZPOPMIN)
/// adds more than it takes.
/// </summary>
/// <param name="Command">The command as COMMAND INFO names it: <c>lpop</c>, <c>client|id</c>.</param>
/// <param name="Requests">The round.</param>
internal sealed record CommandLoad(string Command, params IReadOnlyList<string> Requests)
{
    private const string Times = " * ";

    /// <summary>The name of its rows.</summary>
    public string Name => Command.Replace('|', ' ').ToUpperInvariant();

    /// <summary>The round, ready for a load.</summary>
    public IReadOnlyList<CommandTemplate> Templates() => [.. Requests.SelectMany(Repeated)];

    private static IEnumerable<CommandTemplate> Repeated(string request)
    {
        int end = request.IndexOf(Times, StringComparison.Ordinal);
        bool isRepeated = end > 0 && request.AsSpan(0, end).IndexOfAnyExceptInRange('0', '9') < 0;
        int count = isRepeated ? int.Parse(request.AsSpan(0, end), CultureInfo.InvariantCulture) : 1;
        return Enumerable.Repeat(
            CommandTemplate.Parse(isRepeated ? request[(end + Times.Length)..] : request), count);
    }
}
