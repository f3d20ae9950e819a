//! `memcpy` and `memmove` for x86-64 with musl, whose own versions use `rep movsq`, which takes
//! about thirty cycles to start. Most copies here are short names, and took a third of a walk's
//! user time.
//!
//! One function does both. Up to 64 bytes, it loads all bytes before it stores any. A longer copy
//! starts at the end where an overlap is harmless, and first loads the 64 bytes at the other end,
//! which the loop may overwrite.

use std::arch::global_asm;

// The linker takes these from the C library only if they are undefined.
#[cfg(not(test))]
global_asm!(".globl memcpy, memmove", ".set memcpy, curt_memmove", ".set memmove, curt_memmove",);

global_asm!(
    ".pushsection .text.curt_memmove, \"ax\", @progbits",
    ".p2align 5",
    ".globl curt_memmove",
    ".hidden curt_memmove",
    ".type curt_memmove, @function",
    "curt_memmove:", // rdi: to; rsi: from; rdx: count
    "    mov rax, rdi",
    "    cmp rdx, 16",
    "    jae 5f",
    "    cmp edx, 8",
    "    jae 4f",
    "    cmp edx, 4",
    "    jae 3f",
    "    test edx, edx",
    "    jz 2f",
    // Copy the first, the middle and the last byte.
    "    mov r8d, edx",
    "    shr r8d, 1",
    "    mov cl, [rsi]",
    "    mov r9b, [rsi + r8]",
    "    mov r10b, [rsi + rdx - 1]",
    "    mov [rdi], cl",
    "    mov [rdi + r8], r9b",
    "    mov [rdi + rdx - 1], r10b",
    "2:  ret",
    "3:  mov ecx, [rsi]",
    "    mov r8d, [rsi + rdx - 4]",
    "    mov [rdi], ecx",
    "    mov [rdi + rdx - 4], r8d",
    "    ret",
    "4:  mov rcx, [rsi]",
    "    mov r8, [rsi + rdx - 8]",
    "    mov [rdi], rcx",
    "    mov [rdi + rdx - 8], r8",
    "    ret",
    "5:  movups xmm0, [rsi]",
    "    movups xmm1, [rsi + rdx - 16]",
    "    cmp rdx, 32",
    "    ja 6f",
    "    movups [rdi], xmm0",
    "    movups [rdi + rdx - 16], xmm1",
    "    ret",
    "6:  movups xmm2, [rsi + 16]",
    "    movups xmm3, [rsi + rdx - 32]",
    "    cmp rdx, 64",
    "    ja 7f",
    "    movups [rdi], xmm0",
    "    movups [rdi + 16], xmm2",
    "    movups [rdi + rdx - 32], xmm3",
    "    movups [rdi + rdx - 16], xmm1",
    "    ret",
    "7:  mov rcx, rdi",
    "    sub rcx, rsi",
    "    cmp rcx, rdx",
    "    jb 9f",
    // Forwards: xmm1, xmm3, xmm4 and xmm5 are the last 64 bytes.
    "    movups xmm4, [rsi + rdx - 48]",
    "    movups xmm5, [rsi + rdx - 64]",
    "    lea rdx, [rdi + rdx - 64]",
    "8:  movups xmm0, [rsi]",
    "    movups xmm2, [rsi + 16]",
    "    movups xmm6, [rsi + 32]",
    "    movups xmm7, [rsi + 48]",
    "    movups [rdi], xmm0",
    "    movups [rdi + 16], xmm2",
    "    movups [rdi + 32], xmm6",
    "    movups [rdi + 48], xmm7",
    "    add rsi, 64",
    "    add rdi, 64",
    "    cmp rdi, rdx",
    "    jb 8b",
    "    movups [rdx], xmm5",
    "    movups [rdx + 16], xmm4",
    "    movups [rdx + 32], xmm3",
    "    movups [rdx + 48], xmm1",
    "    ret",
    // Backwards: xmm0, xmm2, xmm4 and xmm5 are the first 64 bytes.
    "9:  movups xmm4, [rsi + 32]",
    "    movups xmm5, [rsi + 48]",
    "20: movups xmm1, [rsi + rdx - 16]",
    "    movups xmm3, [rsi + rdx - 32]",
    "    movups xmm6, [rsi + rdx - 48]",
    "    movups xmm7, [rsi + rdx - 64]",
    "    movups [rdi + rdx - 16], xmm1",
    "    movups [rdi + rdx - 32], xmm3",
    "    movups [rdi + rdx - 48], xmm6",
    "    movups [rdi + rdx - 64], xmm7",
    "    sub rdx, 64",
    "    cmp rdx, 64",
    "    ja 20b",
    "    movups [rdi], xmm0",
    "    movups [rdi + 16], xmm2",
    "    movups [rdi + 32], xmm4",
    "    movups [rdi + 48], xmm5",
    "    ret",
    ".size curt_memmove, . - curt_memmove",
    ".popsection",
);

#[cfg(test)]
mod tests {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn curt_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void;
    }

    #[test]
    fn copies_like_std() {
        let before: Vec<u8> = (0..1200_u32).map(|at| (at * 7 + at / 251) as u8).collect();
        for count in 0..300 {
            for (from, to) in
                (0..80).flat_map(|by| [(400, 400 + by), (400 + by, 400), (400, 800 + by)])
            {
                let (mut expected, mut found) = (before.clone(), before.clone());
                expected.copy_within(from..from + count, to);
                let start = found.as_mut_ptr();
                let (to_ptr, from_ptr) = (start.wrapping_add(to), start.wrapping_add(from));
                // SAFETY: both ranges lie in the vector.
                let result = unsafe { curt_memmove(to_ptr.cast(), from_ptr.cast(), count) };
                assert_eq!(result.cast::<u8>(), to_ptr);
                assert!(expected == found, "{count} bytes from {from} to {to}");
            }
        }
    }
}
