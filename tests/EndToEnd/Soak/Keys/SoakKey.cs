namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A key that one client alone writes: what it must hold, and steps on it. The state is that after
/// the steps that it has given.</summary>
/// <param name="name">Its name.</param>
internal abstract class SoakKey(string name)
{
    /// <summary>Its name.</summary>
    public string Name { get; } = name;

    /// <summary>Whether the server has it.</summary>
    protected abstract bool Exists { get; }

    /// <summary>A random step of its type.</summary>
    public abstract SoakStep Next(SoakDice dice);

    /// <summary>The step that reads all of it.</summary>
    public abstract SoakStep Whole();

    /// <summary>Forgets the state: the server has lost all keys.</summary>
    public abstract void Clear();

    /// <summary>A random step, now and then one that any type has.</summary>
    public SoakStep Step(SoakDice dice)
    {
        switch (dice.Below(40))
        {
            case 0:
                SoakStep removal = new([dice.OneOf(2) ? "DEL" : "UNLINK", Name], Exists ? ":1" : ":0");
                Clear();
                return removal;
            case 1:
                return new(["EXISTS", Name], Exists ? ":1" : ":0");
            case 2:
                return new(["EXPIRE", Name, "100000"], Exists ? ":1" : ":0");
            case 3:
                return Whole();
            default:
                return Next(dice);
        }
    }
}
