using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Access;

/// <summary>
/// The rules that a user has had, one version after the other, as the administrator sent them:
///
/// <code>
///   versions    0   1   2   3   4   5
///                       ^ answered  ^ sent
/// </code>
///
/// A command that is sent now runs with the rules of a version that is not older than the last answered one.
/// One whose reply is here has run with those of a version that had been sent.
/// </summary>
internal sealed class RuleHistory
{
    /// <summary>Keys, lists and channels have one of these numbers.</summary>
    public const int SubjectCount = 3;

    private static readonly string[] s_keyRules = ["", "", "%R~*{0}", "%W~*{0}", "~*{0}", "~*{0}"];
    private static readonly string[] s_commands = ["get", "set", "blpop", "publish"];

    private readonly Random _random;
    private readonly List<Rules> _versions = [];

    /// <summary>A history that comes from a seed; it begins without any right.</summary>
    public RuleHistory(Random random)
    {
        _random = random;
        _versions.Add(new Rules(false, new int[SubjectCount], [.. s_commands], 0));
    }

    /// <summary>The last version whose change was answered.</summary>
    public int Answered { get; set; }

    /// <summary>The last version that was sent.</summary>
    public int Sent => _versions.Count - 1;

    /// <summary>Begins a version.</summary>
    /// <returns>The command that gives the user its rules.</returns>
    public string[] Next(string user)
    {
        if (_random.Next(8) == 0)
        {
            _versions.Add(_versions[0]);
            return ["ACL", "DELUSER", user];
        }

        var keys = new int[SubjectCount];
        List<string> words = ["ACL", "SETUSER", user, "on", "nopass", "resetkeys", "resetchannels", "+@all"];
        for (int subject = 0; subject < SubjectCount; subject++)
        {
            keys[subject] = _random.Next(s_keyRules.Length);
            if (keys[subject] > 1)
                words.Add(string.Format(null, s_keyRules[keys[subject]], subject));
        }

        HashSet<string> denied = [.. s_commands.Where(_ => _random.Next(4) == 0)];
        words.AddRange(denied.Select(static command => "-" + command));
        int channels = _random.Next(1 << SubjectCount);
        words.AddRange(Enumerable.Range(0, SubjectCount).Where(subject => (channels >> subject & 1) != 0)
            .Select(static subject => $"&c{subject}"));
        _versions.Add(new Rules(true, keys, denied, channels));
        return [.. words];
    }

    /// <summary>Whether the rules of some version from one on allow something.</summary>
    public bool AllowSince(int first, Func<Rules, bool> isAllowed) => _versions.Skip(first).Any(isAllowed);

    /// <summary>What the rules of one version allow.</summary>
    /// <param name="Exists">Whether there is the user: else nothing is allowed.</param>
    /// <param name="Keys">What may be done to the keys of each number: an index of the rules.</param>
    /// <param name="Denied">Commands that may not be called.</param>
    /// <param name="Channels">A bit for each channel that may be used.</param>
    internal sealed record Rules(bool Exists, int[] Keys, HashSet<string> Denied, int Channels)
    {
        /// <summary>Whether GET of a key is allowed.</summary>
        public bool AllowsGet(int subject) => !Denied.Contains("get") && Keys[subject] is (2 or 4 or 5);

        /// <summary>Whether SET of a key is allowed.</summary>
        public bool AllowsSet(int subject) => !Denied.Contains("set") && Keys[subject] is (3 or 4 or 5);

        /// <summary>Whether BLPOP of a list is allowed.</summary>
        public bool AllowsPop(int subject) => !Denied.Contains("blpop") && Keys[subject] is (4 or 5);

        /// <summary>Whether a channel may be used.</summary>
        public bool AllowsChannel(int subject) => (Channels >> subject & 1) != 0;

        /// <summary>Whether PUBLISH to a channel is allowed.</summary>
        public bool AllowsPublish(int subject) => !Denied.Contains("publish") && AllowsChannel(subject);
    }
}
