namespace Cinnabar.Engine.Executions;

/// <summary>The slow lane, as an execution in it sees it.</summary>
internal interface ISlowLane
{
    /// <summary>Runs an execution to its end; on the lane's thread.</summary>
    void Run(SessionExecution execution);

    /// <summary>Resumes an execution that has waited between two steps.</summary>
    void Resume(SessionExecution execution);
}
