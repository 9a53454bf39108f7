using Cinnabar.Lua.Compiling;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Running;

/// <summary>
/// The name of what is in a register, for error messages: "local 'x'", "global 'x'", "field 'x'", "upvalue
/// 'x'", "method 'x'".
///
/// The code is followed from its start up to an instruction; jumps forward are taken. The last instruction on
/// this way that sets the register says what it has. So the name is that of one way through the code, as in
/// 5.1.
/// </summary>
internal static class VariableNames
{
    /// <summary>The name of a register at an instruction; null: none is known.</summary>
    public static (string Kind, string Name)? Find(Prototype prototype, int instruction, int register)
    {
        while (true)
        {
            if (prototype.LocalAt(register, instruction) is { } local) return ("local", local.ToString());
            int setter = FindSetter(prototype.Code, instruction, register);
            if (setter < 0) return null;
            Instruction found = prototype.Code[setter];
            switch (found.Op)
            {
                case Op.GetGlobal:
                    return ("global", prototype.Constants[found.C].String.ToString());
                case Op.GetField:
                    return ("field", prototype.Constants[found.C].String.ToString());
                case Op.GetInteger or Op.GetTable:
                    return ("field", "?");
                case Op.GetUpvalue:
                    return ("upvalue", prototype.Upvalues[found.B].Name.ToString());
                case Op.Self:
                    return ("method", prototype.Constants[found.C].String.ToString());
                case Op.Move when found.B < found.A:
                    register = found.B;
                    break;
                default:
                    return null;
            }
        }
    }

    private static int FindSetter(Instruction[] code, int end, int register)
    {
        int last = -1;
        for (int index = 0; index < end; index++)
        {
            Instruction instruction = code[index];
            if (Sets(instruction, register)) last = index;
            if (instruction.IsJump && instruction.C > index && instruction.C <= end)
                index = instruction.C - 1;
        }

        return last;
    }

    private static bool Sets(in Instruction instruction, int register)
    {
        int a = instruction.A;
        return instruction.Op switch
        {
            Op.LoadNil => a <= register && register <= instruction.B,
            Op.Self => register == a || register == a + 1,
            Op.Call or Op.TailCall or Op.Vararg => register >= a,
            Op.ForIn => register >= a + 2,
            Op.SetUpvalue or Op.SetGlobal or Op.SetField or Op.SetInteger or Op.SetTable => false,
            Op.Test or Op.TestSet or Op.ForLoop or Op.ForPrepare or Op.Closure => register == a,
            < Op.Jump => register == a,
            _ => false,
        };
    }
}
