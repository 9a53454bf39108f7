using System.Collections.Generic;

namespace Tidy.Rules;

/// <summary>A line fits on the screen beside another file.</summary>
internal sealed class LineRule : IRule
{
    public string Name => "line";

    public IEnumerable<Violation> Check(Repository repository)
    {
        foreach (SourceFile file in repository.Files)
            for (int index = 0; index < file.Lines.Length; index++)
            {
                int size = file.Lines[index].TrimEnd('\r').Length;
                if (size > CommentWrap.ColumnCountMax)
                    yield return file.Violation(Name, "", $"line {index + 1} has {size} columns");
            }
    }
}
