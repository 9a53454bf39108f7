using Cinnabar.Lab.Runner.Results;

namespace Cinnabar.Lab.Runner;

/// <summary>Shows the lab's progress.</summary>
internal interface ILabDisplay
{
    /// <summary>How many steps there are, and how many are done already.</summary>
    void Plan(int count, int doneCount);

    /// <summary>A step begins.</summary>
    void Begin(Step step);

    /// <summary>A step is done.</summary>
    void End(Step step, Run run);
}
