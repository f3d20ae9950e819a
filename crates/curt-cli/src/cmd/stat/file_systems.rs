//! Filesystem types on Linux: magic numbers (`linux/magic.h`) and the names that GNU stat prints.

pub(super) fn name(number: u32) -> Option<&'static str> {
    let start = format!("{number:x} ");
    TYPES.split(" | ").find_map(|row| row.strip_prefix(&start))
}

/// Magic numbers in hexadecimal, each with its name.
const TYPES: &str = "\
    2f qnx4 | 33 z3fold | 187 autofs | 137f minix | 138f minix (30 char.) | 1cd1 devpts | \
    2468 minix v2 | 2478 minix v2 (30 char.) | 3434 nilfs | 4000 isofs | 4004 isofs | 4006 fat | \
    4244 hfs | 482b hfs+ | 4858 hfsx | 4d44 msdos | 4d5a minix3 | 564c novell | 5df5 exofs | \
    6969 nfs | 7275 romfs | 72b6 jffs2 | 9660 isofs | 9fa0 proc | 9fa1 openprom | \
    9fa2 usbdevfs | adf5 adfs | adff affs | ef51 ext2 | ef53 ext2/ext3 | f15f ecryptfs | \
    11954 ufs | 27e0eb cgroupfs | 414a53 efs | c0ffee hostfs | c36400 ceph | 1021994 tmpfs | \
    1021997 v9fs | 1161970 gfs/gfs2 | 12ff7b4 xenix | 12ff7b5 sysv4 | 12ff7b6 sysv2 | \
    12ff7b7 coh | 13111a8 ibrix | 7655821 rdt | 9041934 anon-inode FS | bd00bd0 lustre | \
    11307854 inodefs | 13661366 balloon-kvm-fs | 15013346 udf | 19800202 mqueue | \
    19830326 fhgfs | 1badface bfs | 2011bab0 exfat | 24051905 ubifs | 28cd3d45 cramfs | \
    2fc12fc1 zfs | 3153464a jfs | 42465331 befs | 42494e4d binfmt_misc | 43415d53 smackfs | \
    444d4142 dma-buf-fs | 453dcd28 cramfs-wend | 454d444d devmem | 45584653 exfs | \
    47504653 gpfs | 50494446 pidfs | 50495045 pipefs | 52654973 reiserfs | 5345434d secretmem | \
    5346314d m1fs | 5346414f afs | 53464846 wslfs | 5346544e ntfs | 534f434b sockfs | \
    54190100 ufs | 565a4653 vzfs | 58295829 zsmallocfs | 58465342 xfs | 5a3c69f0 aafs | \
    5a4f4653 zonefs | 5dca2df5 sdcardfs | 61636673 acfs | 6165676c pstorefs | 61756673 aufs | \
    62646576 bdevfs | 62656570 configfs | 62656572 sysfs | 63677270 cgroup2fs | \
    64626720 debugfs | 64646178 daxfs | 65735543 fusectl | 65735546 fuse | 67596969 rpc_pipefs | \
    68191122 qnx6 | 6b414653 k-afs | 6c6f6f70 binderfs | 6e667364 nfsd | 6e736673 nsfs | \
    73636673 securityfs | 73717368 squashfs | 73727279 btrfs_test | 73757245 coda | \
    7461636f ocfs2 | 74726163 tracefs | 786f4256 vboxsf | 794c7630 overlayfs | 7c7c6673 prl_fs | \
    858458f6 ramfs | 9123683e btrfs | 958458f6 hugetlbfs | a501fcf5 vxfs | aad7aaea panfs | \
    abba1974 xenfs | bacbacbc vmhgfs | beefdead snfs | c7571590 ppc-cmm-fs | c97e8168 logfs | \
    ca451a4e bcachefs | cafe4a11 bpf_fs | de5e81e4 efivarfs | e0f5e1e2 erofs | f2f52010 f2fs | \
    f97cff8c selinux | f995e849 hpfs | fe534d42 smb2 | ff534d42 cifs";

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn types_have_the_names_of_gnu() {
        for (number, expected) in [
            (0x2f, Some("qnx4")),
            (0x138f, Some("minix (30 char.)")),
            (0xef53, Some("ext2/ext3")),
            (0x0102_1994, Some("tmpfs")),
            (0xff53_4d42, Some("cifs")),
            (1, None),
        ] {
            assert_eq!(name(number), expected);
        }
    }
}
