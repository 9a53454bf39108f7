using System.Diagnostics.CodeAnalysis;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>The options of CLIENT TRACKING.</summary>
internal struct TrackingOptions()
{
    private readonly List<byte[]> _prefixes = [];
    private long _redirectId;
    private TrackingModes _modes;

    /// <summary>Reads the options, or replies an error.</summary>
    public bool TryRead(SessionExecution execution)
    {
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            bool hasMore = index + 1 < execution.ArgumentCount;
            if (execution.Is(index, "redirect"u8) && hasMore)
            {
                if (!TryReadRedirect(execution, ++index))
                    return false;
            }
            else if (execution.Is(index, "prefix"u8) && hasMore)
            {
                _prefixes.Add(execution.Argument(++index).ToArray());
            }
            else if (!TryReadMode(execution, index))
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return true;
    }

    /// <summary>What a session tracks with these options, or replies why they do not go with what it tracks
    /// now.</summary>
    public readonly bool TryJoin(
        SessionExecution execution, SessionTracking? old, [NotNullWhen(true)] out SessionTracking? tracking)
    {
        tracking = null;
        TrackingModes oldModes = old?.Modes ?? _modes;
        bool isBroadcast = Has(_modes, TrackingModes.Broadcast);
        if (!isBroadcast && _prefixes.Count > 0)
            return Fail(execution, "ERR PREFIX option requires BCAST mode to be enabled"u8);
        if (Has(oldModes, TrackingModes.Broadcast) != isBroadcast)
        {
            return Fail(execution, "ERR You can't switch BCAST mode on/off before disabling tracking for "u8,
                "this client, and then re-enabling it with a different mode."u8);
        }

        const TrackingModes choosing = TrackingModes.OptIn | TrackingModes.OptOut;
        if (isBroadcast && (_modes & choosing) != 0)
            return Fail(execution, "ERR OPTIN and OPTOUT are not compatible with BCAST"u8);
        if ((_modes & choosing) == choosing)
            return Fail(execution, "ERR You can't specify both OPTIN mode and OPTOUT mode"u8);
        if ((Has(_modes, TrackingModes.OptIn) && Has(oldModes, TrackingModes.OptOut))
            || (Has(_modes, TrackingModes.OptOut) && Has(oldModes, TrackingModes.OptIn)))
        {
            return Fail(execution, "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for "u8,
                "this client, and then re-enabling it with a different mode."u8);
        }

        if (HasOverlap(execution, old?.Prefixes ?? []))
            return false;
        List<byte[]> prefixes = [.. old?.Prefixes ?? []];
        prefixes.AddRange(_prefixes);
        if (isBroadcast && prefixes.Count == 0)
            prefixes.Add([]);
        tracking = new SessionTracking(_modes, _redirectId, [.. prefixes]);
        return true;
    }

    private static bool Has(TrackingModes modes, TrackingModes mode) => (modes & mode) != 0;

    private static bool Fail(
        SessionExecution execution, ReadOnlySpan<byte> error, ReadOnlySpan<byte> rest = default)
    {
        execution.Reply.Error(error, rest, default);
        return false;
    }

    private static bool Overlap(byte[] one, byte[] other) =>
        one.AsSpan().StartsWith(other) || other.AsSpan().StartsWith(one);

    private readonly bool HasOverlap(SessionExecution execution, byte[][] old)
    {
        for (int index = 0; index < _prefixes.Count; index++)
        {
            byte[] prefix = _prefixes[index];
            if (Array.Find(old, other => Overlap(prefix, other)) is { } existing)
            {
                return !Fail(execution, [.. "ERR Prefix '"u8, .. prefix,
                    .. "' overlaps with an existing prefix '"u8, .. existing],
                    "'. Prefixes for a single client must not overlap."u8);
            }

            for (int next = index + 1; next < _prefixes.Count; next++)
            {
                if (Overlap(prefix, _prefixes[next]))
                {
                    return !Fail(execution, [.. "ERR Prefix '"u8, .. prefix,
                        .. "' overlaps with another provided prefix '"u8, .. _prefixes[next]],
                        "'. Prefixes for a single client must not overlap."u8);
                }
            }
        }

        return false;
    }

    private bool TryReadRedirect(SessionExecution execution, int index)
    {
        if (_redirectId != 0)
            return Fail(execution, "ERR A client can only redirect to a single other client"u8);
        if (!execution.TryInteger(index, out _redirectId))
            return false;
        if (execution.Engine.Sessions.Find(_redirectId) is not { } target)
            return Fail(execution, "ERR The client ID you want redirect to does not exist"u8);
        target.InvalidationsOrNew();
        return true;
    }

    private bool TryReadMode(SessionExecution execution, int index)
    {
        TrackingModes mode = TrackingModes.Default;
        if (execution.Is(index, "bcast"u8))
            mode = TrackingModes.Broadcast;
        else if (execution.Is(index, "optin"u8))
            mode = TrackingModes.OptIn;
        else if (execution.Is(index, "optout"u8))
            mode = TrackingModes.OptOut;
        else if (execution.Is(index, "noloop"u8))
            mode = TrackingModes.NoLoop;
        _modes |= mode;
        return mode != TrackingModes.Default;
    }
}
