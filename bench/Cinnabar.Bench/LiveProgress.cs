using System;
using Cinnabar.Load;
using Spectre.Console;

namespace Cinnabar.Bench;

/// <summary>Shows the progress of measurements: a bar on a terminal, drawn once a second and at every step
/// (drawing takes time from the load), or a line a step if the output goes to a file.</summary>
internal sealed class LiveProgress : IProgress<LoadProgress>
{
    private readonly ProgressContext? _screen;
    private readonly ProgressTask? _bar;
    private string _place = "";
    private string _step = "";
    private double _done;

    private LiveProgress(ProgressContext? screen, ProgressTask? bar) => (_screen, _bar) = (screen, bar);

    /// <summary>Runs work of some steps and shows its progress.</summary>
    public static void Show(string title, int stepCount, Action<LiveProgress> work)
    {
        if (Console.IsOutputRedirected)
        {
            work(new LiveProgress(null, null));
            return;
        }
        AnsiConsole.Progress().AutoRefresh(false).AutoClear(true).Start(screen =>
            work(new LiveProgress(screen, screen.AddTask(Markup.Escape(title), maxValue: stepCount))));
    }

    /// <summary>Names the current step.</summary>
    public void Begin(string place) => _place = place;

    /// <summary>Shows the progress within the step.</summary>
    public void ShowStep(string step)
    {
        _step = step;
        if (_bar is null) Console.Error.WriteLine($"{_place} {step}");
        else Draw("");
    }

    /// <summary>Counts a step as done.</summary>
    public void End()
    {
        _done++;
        if (_bar is not null) _bar.Value = _done;
        _screen?.Refresh();
    }

    /// <inheritdoc/>
    public void Report(LoadProgress value)
    {
        if (_bar is null) return;
        _bar.Value = _done + value.Share;
        Draw($", {value.ReplyCount / Math.Max(value.Seconds, 0.001):N0}/s");
    }

    private void Draw(string figures)
    {
        _bar!.Description = Markup.Escape($"{_place} {_step}{figures}");
        _screen!.Refresh();
    }
}
