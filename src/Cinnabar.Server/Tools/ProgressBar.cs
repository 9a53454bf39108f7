using Cinnabar.Persistence.Journal.Checking;

namespace Cinnabar.Server.Tools;

/// <summary>A bar on the terminal, on standard error; nothing where that is no terminal.</summary>
/// <param name="total">What is 100 percent.</param>
internal sealed class ProgressBar(long total) : ICheckProgress
{
    private const int Width = 50;
    private const int Percent = 100;

    private readonly bool _isShown = !Console.IsErrorRedirected && !Console.IsOutputRedirected;
    private readonly long _total = total;
    private int _percent = -1;

    /// <inheritdoc/>
    public void Show(long done)
    {
        int percent = _total == 0 ? Percent : (int)(done * Percent / _total);
        if (!_isShown || percent == _percent)
            return;
        _percent = percent;
        int filled = percent * Width / Percent;
        Console.Error.Write($"\r[{new string('=', filled)}{new string(' ', Width - filled)}] {percent,3}%");
    }

    /// <summary>Removes the bar.</summary>
    public void Dispose()
    {
        if (_percent >= 0)
            Console.Error.Write('\r' + new string(' ', Width + "[] 100%".Length) + '\r');
    }
}
