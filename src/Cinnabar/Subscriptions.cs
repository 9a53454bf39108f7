using Cinnabar.Resp;

namespace Cinnabar;

/// <summary>The subscriptions of a client, according to the confirmations, in their order.</summary>
internal sealed class Subscriptions
{
    private readonly HashSet<string> _channels = [];
    private readonly HashSet<string> _patterns = [];
    private readonly HashSet<string> _shardChannels = [];

    /// <summary>Takes note of a push.</summary>
    /// <param name="push">Any push.</param>
    /// <param name="isLast">Whether no subscription of its kind is left after it.</param>
    /// <returns>Whether it is a confirmation.</returns>
    public bool TryNote(Reply push, out bool isLast)
    {
        isLast = false;
        if (push.Items.Count < 2)
            return false;
        (HashSet<string>? names, bool isNew) = push.Items[0].Text switch
        {
            "subscribe" => (_channels, true),
            "unsubscribe" => (_channels, false),
            "psubscribe" => (_patterns, true),
            "punsubscribe" => (_patterns, false),
            "ssubscribe" => (_shardChannels, true),
            "sunsubscribe" => (_shardChannels, false),
            _ => ((HashSet<string>?)null, false),
        };
        if (names is null)
            return false;
        // An unsubscription from all without having any is confirmed once, without a name.
        string name = push.Items[1].Text;
        if (isNew)
            names.Add(name);
        else
            names.Remove(name);
        isLast = names.Count == 0;
        return true;
    }
}
