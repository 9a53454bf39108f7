using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>CLIENT TRACKING, CACHING, TRACKINGINFO, GETREDIR.</summary>
internal static class TrackingCommands
{
    /// <summary>CLIENT TRACKING ON|OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST]
    /// [OPTIN] [OPTOUT] [NOLOOP]</summary>
    public static void Tracking(SessionExecution execution)
    {
        var options = new TrackingOptions();
        if (!options.TryRead(execution))
            return;
        Session session = execution.Session;
        if (execution.Is(2, "off"u8))
        {
            execution.Engine.Tracking.Disable(session);
            execution.Reply.Ok();
        }
        else if (!execution.Is(2, "on"u8))
        {
            execution.Reply.Error(Errors.Syntax);
        }
        else if (options.TryJoin(execution, session.Tracking, out SessionTracking? tracking))
        {
            execution.Engine.Tracking.Enable(session, tracking);
            execution.Reply.Ok();
        }
    }

    /// <summary>CLIENT CACHING YES|NO</summary>
    public static void Caching(SessionExecution execution)
    {
        SessionTracking? tracking = execution.Session.Tracking;
        if (tracking is null)
        {
            execution.Reply.Error("ERR CLIENT CACHING can be called only when the client is in tracking "u8,
                "mode with OPTIN or OPTOUT mode enabled"u8, default);
            return;
        }

        bool isYes = execution.Is(2, "yes"u8);
        if (!isYes && !execution.Is(2, "no"u8))
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        if ((tracking.Modes & (isYes ? TrackingModes.OptIn : TrackingModes.OptOut)) == 0)
        {
            execution.Reply.Error(isYes
                ? "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."u8
                : "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."u8);
            return;
        }

        tracking.IsCachingChosen = true;
        execution.Reply.Ok();
    }

    /// <summary>CLIENT GETREDIR</summary>
    public static void GetRedir(SessionExecution execution) =>
        execution.Reply.Integer(execution.Session.Tracking is { } tracking ? tracking.RedirectId : -1);

    /// <summary>CLIENT TRACKINGINFO</summary>
    public static void TrackingInfo(SessionExecution execution)
    {
        SessionTracking? tracking = execution.Session.Tracking;
        execution.Reply.MapHeader(3);
        execution.Reply.Bulk("flags"u8);
        ReplyFlags(execution, tracking);
        execution.Reply.Bulk("redirect"u8);
        execution.Reply.Integer(tracking?.RedirectId ?? -1);
        execution.Reply.Bulk("prefixes"u8);
        byte[][] prefixes = tracking?.Prefixes ?? [];
        execution.Reply.ArrayHeader(prefixes.Length);
        foreach (byte[] prefix in prefixes)
            execution.Reply.Bulk(prefix);
    }

    private static void ReplyFlags(SessionExecution execution, SessionTracking? tracking)
    {
        List<string> flags = [tracking is null ? "off" : "on"];
        TrackingModes modes = tracking?.Modes ?? TrackingModes.Default;
        bool isChosen = tracking is { IsCachingChosen: true };
        if ((modes & TrackingModes.Broadcast) != 0)
            flags.Add("bcast");
        if ((modes & TrackingModes.OptIn) != 0)
            flags.AddRange(isChosen ? ["optin", "caching-yes"] : ["optin"]);
        if ((modes & TrackingModes.OptOut) != 0)
            flags.AddRange(isChosen ? ["optout", "caching-no"] : ["optout"]);
        if ((modes & TrackingModes.NoLoop) != 0)
            flags.Add("noloop");
        if (tracking is { IsRedirectBroken: true })
            flags.Add("broken_redirect");
        execution.Reply.SetHeader(flags.Count);
        foreach (string flag in flags)
            execution.Reply.Bulk(Encoding.ASCII.GetBytes(flag));
    }
}
